/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to the current program's memory, for system calls, in the program's thread. The functions
 * return -EFAULT if the program may not read or write the address.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int user_get(uintptr_t from, void *to, size_t length);
int user_put(uintptr_t to, const void *from, size_t length);

/*
 * Returns 0 if user_put would succeed, or if `to` is NULL: the program does not want that result.
 */
int user_can_put(uintptr_t to, size_t length);

/*
 * Reads a string with its NUL. Returns its length, or -ENAMETOOLONG if it does not fit in `size`.
 */
int64_t user_get_text(uintptr_t from, char *to, size_t size);

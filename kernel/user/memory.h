/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to the current program's memory, for system calls, in its thread. -EFAULT: the program may
 * not read or write the address.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int user_get(uintptr_t from, void *to, size_t length);
int user_put(uintptr_t to, const void *from, size_t length);

/* Checks whether user_put would succeed; 0 for NULL, by which a program declines a result. */
int user_can_put(uintptr_t to, size_t length);

/* Reads a string with its NUL; -ENAMETOOLONG if it does not fit. Returns its length. */
int64_t user_get_text(uintptr_t from, char *to, size_t size);

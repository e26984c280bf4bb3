/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What system calls read and write in the current program's memory. All: 0 or more, or -EFAULT for
 * an address that is not its to read or write. Task context of its thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int user_get(uintptr_t from, void *to, size_t length);
int user_put(uintptr_t to, const void *from, size_t length);

/* As user_put, but only whether it could; 0 for a NULL that says that nothing is wanted. */
int user_can_put(uintptr_t to, size_t length);

/* A text with its NUL; -ENAMETOOLONG where it does not fit. Returns its length. */
int64_t user_get_text(uintptr_t from, char *to, size_t size);

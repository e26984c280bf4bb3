/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A failed assertion (core/lib/assert.h) panics, in any context. Separate from panic.c, so that
 * programs on the host can link panic.c with their own assert_failed.
 */
#include "core/lib/assert.h"

#include "kernel/panic/panic.h"

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    panic("assertion failed: %s, %s:%d", claim, file, line);
}

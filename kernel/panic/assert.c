/* SPDX-License-Identifier: BSD-2-Clause */
/* A failed assertion panics. Any context. Programs on the host link panic.c but not this file. */
#include "core/lib/assert.h"

#include "kernel/panic/panic.h"

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    panic("assertion failed: %s, %s:%d", claim, file, line);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes of a claim that does not hold (core/lib/assert.h): a panic, in whatever context the
 * claim stands. Apart from it, so that a program on the host takes what panics and not this.
 */
#include "core/lib/assert.h"

#include "kernel/panic/panic.h"

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    panic("assertion failed: %s, %s:%d", claim, file, line);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's clock (arch/own.h) in a program: rdtsc, counted from 0 and scaled by 1. A failed
 * assertion of the ring ends the program. Compiled with the kernel's flags.
 */
#include "arch/cpu.h"
#include "core/lib/assert.h"

struct clock clock_boot = {.scale = 1ull << CLOCK_SCALE_SHIFT};

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    (void)claim;
    (void)file;
    (void)line;
    __builtin_trap();
}

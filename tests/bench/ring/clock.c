/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's clock (arch/x86_64/cpu/inline.h) in a program: rdtsc, counted from 0, and scaled by
 * 1. Compiled with the kernel's flags.
 */
#include "arch/arch.h"

struct clock clock_boot = {.scale = 1ull << CLOCK_SCALE_SHIFT};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanoseconds from the time stamp counter. A driver measures its rate once (boot/clock_rate.c). */
#pragma once

#include <stdint.h>

/* The clock is 0 from here on. First thing in the kernel. */
void clock_start(void);

/* The counter's ticks a second. From here on the clock runs at that rate. Boot only. */
void clock_set_rate(uint64_t ticks);

/* The counter's ticks a second as the CPU's makers say them; 0: they do not. */
uint64_t clock_rate_by_cpuid(void);

/* Ticks a second, for the boot log. */
uint64_t clock_rate(void);

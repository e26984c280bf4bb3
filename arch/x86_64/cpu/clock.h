/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanoseconds from the time stamp counter. A driver measures its rate once (boot/clock_rate.c). */
#pragma once

#include <stdint.h>

/* Sets the clock to 0. The first thing that the kernel does. */
void clock_start(void);

/* Sets the counter's ticks a second; from here on the clock runs at that rate. Boot only. */
void clock_set_rate(uint64_t ticks);

/* The counter's ticks a second according to CPUID; 0: CPUID does not say. */
uint64_t clock_rate_by_cpuid(void);

/* Ticks a second, for the boot log. */
uint64_t clock_rate(void);

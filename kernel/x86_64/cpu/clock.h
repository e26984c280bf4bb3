/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanoseconds from the time stamp counter, whose rate boot/clock_rate.c measures once. */
#pragma once

#include <stdint.h>

/* Sets the clock to 0. Before anything else. */
void clock_start(void);

/* Sets the counter's ticks per second. Boot. */
void clock_set_rate(uint64_t ticks);

/* The counter's ticks per second according to CPUID; 0: not reported. */
uint64_t clock_rate_by_cpuid(void);

uint64_t clock_rate(void);

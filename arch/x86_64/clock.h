/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanoseconds from the time stamp counter. A driver measures its rate once (drivers/pit8254.c). */
#pragma once

#include <stdint.h>

/* The clock is 0 from here on. First thing in the kernel. */
void clock_start(void);

/* The counter's ticks a second. From here on the clock runs at that rate. Boot only. */
void clock_set_rate(uint64_t ticks);

/* Ticks a second, for the boot log. */
uint64_t clock_rate(void);

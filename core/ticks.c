/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ticks.h. `ticks` is a good thing to watch: its call chain leads through the interrupt into
 * what was interrupted.
 */
#include "core/ticks.h"

volatile uint64_t ticks;

void ticks_count(void)
{
    ticks++;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The periodic interrupt of each CPU, and everything that it drives. */
#pragma once

#include <stdbool.h>

/*
 * Starts the timer of the boot CPU, and lets CPUs that start later start theirs. With an NMI clock
 * the 8254 is not used (see boot/nmi_clock.h). Boot, interrupts off.
 */
void timer_begin(bool has_nmi_clock);

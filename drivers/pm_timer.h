/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power management timer, a free-running counter. Source: ACPI Specification 6.4, "Power
 * Management Timer (PM_TMR)". Boot.
 */
#pragma once

#include <stdint.h>

#define PM_TIMER_HERTZ 3579545u
#define PM_TIMER_MASK  0xffffffu /* some counters have 32 bits, all have these 24 */

void pm_timer_init(uint16_t port);
uint32_t pm_timer_count(void);

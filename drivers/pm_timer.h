/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power management timer: a count that runs and raises no interrupt. Source: ACPI Specification
 * 6.4, "Power Management Timer (PM_TMR)". Boot.
 */
#pragma once

#include <stdint.h>

#define PM_TIMER_HERTZ 3579545u
#define PM_TIMER_MASK  0xffffffu /* some have 32 bits; all have these */

/* At that port of the I/O space (struct acpi, pm_timer_port). */
void pm_timer_init(uint16_t port);

uint32_t pm_timer_count(void);

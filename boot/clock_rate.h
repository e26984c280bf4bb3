/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How quick the time stamp counter is: found once, at boot, by the clocks of known rate that the
 * machine has. docs/sources.md says which are asked in which order, and what is believed.
 */
#pragma once

struct acpi;

/*
 * Sets the clock's rate (arch/x86_64/cpu/clock.h), or panics with the reason. Boot, interrupts off.
 */
void clock_rate_find(const struct acpi *acpi);

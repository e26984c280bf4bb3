/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the rate of the time stamp counter, once, at boot, against those clocks of the machine that
 * have a known rate. docs/sources.md describes the order in which they are tried, and which result
 * is trusted.
 */
#pragma once

struct acpi;

/*
 * Sets the clock's rate (arch/x86_64/cpu/clock.h), or panics with the reason. Boot, interrupts off.
 */
void clock_rate_find(const struct acpi *acpi);

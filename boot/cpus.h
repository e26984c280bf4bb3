/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs there are, as the firmware tells. */
#pragma once

#include "boot/information.h"

/* Reads the firmware's tables, which are mapped before memory_init only. Boot, interrupts off. */
void cpus_read(const struct boot_information *information);

/*
 * Turns on the interrupt controller of this CPU, and makes the others known to be started. Says on
 * the console why there is but one, if not because there is but one. After memory_init.
 */
void cpus_find(const struct boot_information *information);

/* What the tables say, from cpus_read on. */
struct acpi;
const struct acpi *cpus_acpi(void);

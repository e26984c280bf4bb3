/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs that the firmware reports. */
#pragma once

#include "boot/information.h"

/* Reads the firmware's tables, which are mapped until memory_init. Boot, interrupts off. */
void cpus_read(const struct boot_information *information);

/*
 * Enables this CPU's interrupt controller and registers the other CPUs to be started, or prints why
 * they cannot be used. Called after memory_init.
 */
void cpus_find(const struct boot_information *information);

/* Returns the contents of the tables. Called after cpus_read. */
struct acpi;
const struct acpi *cpus_acpi(void);

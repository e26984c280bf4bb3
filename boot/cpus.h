/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the CPUs that the firmware reports. */
#pragma once

#include "boot/information.h"

/* Reads the firmware's tables, which are mapped only before memory_init. Boot, interrupts off. */
void cpus_read(const struct boot_information *information);

/*
 * Enables this CPU's interrupt controller, and registers the other CPUs so that they can be
 * started. If the other CPUs cannot be used, prints the reason. After memory_init.
 */
void cpus_find(const struct boot_information *information);

/* The contents of the tables, from cpus_read on. */
struct acpi;
const struct acpi *cpus_acpi(void);

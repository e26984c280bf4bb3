/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting the CPUs that the firmware left waiting. Source: Intel SDM vol. 3, "MP Initialization";
 * docs/kernel.md. Boot, interrupts off, on the boot CPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies the code that a CPU starts with to where it starts: into an unused page below 1 MiB, given
 * by its physical address. On the boot loader's mapping.
 */
void smp_place(uint32_t low_page);

/* The CPUs beside this one, by their APIC numbers: number i becomes CPU i + 1. */
void smp_init(const uint32_t *apic_ids, size_t count);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs, interrupt controllers and timers in the firmware's tables. Source: ACPI Specification 6.4,
 * "Root System Description Pointer", "System Description Table Header", "Multiple APIC Description
 * Table (MADT)", "Fixed ACPI Description Table (FADT)"; IA-PC HPET Specification 1.0a, "The ACPI
 * 2.0 HPET Description Table".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"

#define ACPI_IO_APICS_MAX 4

struct acpi_io_apic {
    uint64_t address; /* physical */
    uint32_t first;   /* number of its first line */
};

struct acpi {
    /* What is missing or wrong; then only the timers are valid. NULL: nothing. */
    const char *problem;

    uint64_t apic_address; /* physical; of every CPU's local APIC */
    uint32_t apic_ids[ARCH_CPUS_MAX];
    size_t cpu_count;    /* usable CPUs, including the boot CPU, in the firmware's order */
    size_t cpus_ignored; /* CPUs beyond ARCH_CPUS_MAX, or with an APIC ID too large for xAPIC */

    struct acpi_io_apic io_apics[ACPI_IO_APICS_MAX];
    size_t io_apic_count;
    uint32_t timer_line; /* line of the ISA bus's interrupt 0 */

    /* Timers; 0: there is none. */
    uint64_t hpet_address; /* physical */
    uint16_t pm_timer_port;
};

/* Returns an address at which that physical memory can be read; NULL if it is unreachable. */
typedef const void *acpi_reach(uint64_t physical, size_t length);

#define ACPI_ROOT_SIZE 36

/*
 * Copies the RSDP, at most ACPI_ROOT_SIZE bytes, to `root`. If `physical` is 0, searches for it
 * where PC firmware places it. Returns its size; 0: there is none. Boot.
 */
size_t acpi_copy_root(uint64_t physical, acpi_reach *reach, void *root);

/* Reads the tables. `root` is a copy of the RSDP, of `size` bytes; 0: there is none. Boot. */
void acpi_read(const void *root, size_t size, acpi_reach *reach, struct acpi *out);

/* --- The power management timer, a free-running counter ("PM_TMR"). Boot. --- */

#define PM_TIMER_HERTZ 3579545u
#define PM_TIMER_MASK  0xffffffu /* some counters have 32 bits, all have these 24 */

void pm_timer_init(uint16_t port);
uint32_t pm_timer_count(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of the boot, each defined in a file of this directory, and what they tell each other.
 * kernel_main (boot/main.c) calls each step once, on the boot CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/information.h"
#include "kernel/panic/panic.h"

/*
 * Sets the clock's rate (kernel/x86_64/cpu/clock.h), measured against the machine's clocks of known
 * rate (docs/sources.md), or panics with the reason. Interrupts off.
 */
void clock_rate_find(const struct acpi *acpi);

/*
 * Finds the devices of the NMI clock (core/pitot_boot.h): the HPET, and a line of an I/O APIC.
 * Returns true if they exist; the 8254 is then stopped for good. Called after cpus_find, interrupts
 * off.
 */
bool nmi_clock_find(void);

/*
 * Starts the boot CPU's periodic interrupt, which drives time and scheduling; CPUs that start later
 * start theirs. Interrupts off.
 */
void timer_begin(bool has_nmi_clock);

/*
 * Unpacks the loader's module into /bin, or prints why programs are missing. Called once the file
 * system and threads exist.
 */
void programs_init(const struct boot_information *information);

/*
 * Finds the ports where gdb can attach: COM3, if there is one, and the console's port, which is
 * lent. Waits for gdb if the command line asks for it. Task context, interrupts on.
 */
void gdb_door_init(void);

/*
 * Commands from the kernel's command line (docs/machines.md). script_boot_recording arms the events
 * of perf.boot="record -e EVENT ...". script_run ends that recording and streams it, runs
 * run="CMD; CMD", and warns of arguments that no code asked for. Task context.
 */
void script_boot_recording(void);
void script_run(void);

/* --- The CPUs that the firmware reports. --- */

/* Reads the firmware's tables, which are mapped until memory_init. Boot, interrupts off. */
void cpus_read(const struct boot_information *information);

/*
 * Enables this CPU's interrupt controller and registers the other CPUs to be started, or prints why
 * they cannot be used. Called after memory_init.
 */
void cpus_find(const struct boot_information *information);

/* Returns the contents of the tables. Called after cpus_read. */
const struct acpi *cpus_acpi(void);

/* --- Page tables and free pages from the loader's memory map. Interrupts off. --- */

#define BOOT_MAP_END (4ull << 30) /* end of the physical memory mapped before memory_init, from 0 */

/* Returns an address for physical memory, before memory_init; NULL if it is not mapped. */
const void *memory_reach(uint64_t physical, size_t length);

/* Panics if there is too little memory. */
void memory_init(const struct boot_information *information);

/*
 * --- The use of each port: COM1 is the console. The stream leaves by a virtio port, by COM2 if
 * there is none, or as text by COM1 if there is neither. ---
 */

/* Sets up the console's output. Without COM1, says so on port 0xE9 and stops. */
void ports_init(void);

/*
 * Moves the stream to a virtio port, if there is one, and prints that, or why it cannot be used.
 * Called before the first recording. Boot, with page tables and a clock.
 */
void ports_find_faster(void);

/* Enables the console's input, by interrupt. Needs the interrupt controller. */
void ports_listen(void);

/* The console's port, for code that borrows it. */
struct uart;
struct uart *ports_console(void);

/* For panic_init: bounds the ports' waits, and exits an emulator with a status of failure. */
extern const struct panic_machine ports_panic;

/* --- A line of an I/O APIC, in the firmware's tables. --- */

struct io_apic_line {
    volatile void *registers; /* of the I/O APIC */
    unsigned line;            /* number among the lines of this I/O APIC */
};

/* Returns false if no I/O APIC has that line. Boot, after memory_init. */
bool io_apic_find(unsigned line, struct io_apic_line *found);

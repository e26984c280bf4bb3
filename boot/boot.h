/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of the boot, each defined in a file of this directory. kernel_main (boot/main.c) calls each
 * once, on the boot CPU.
 */
#pragma once

#include <stdbool.h>

#include "boot/information.h"

/*
 * Sets the clock's rate (kernel/x86_64/cpu/clock.h), measured against the machine's clocks of known
 * rate (docs/sources.md), or panics with the reason. Interrupts off.
 */
void clock_rate_find(const struct acpi *acpi);

/*
 * Finds the devices of the NMI clock (core/event/source_clock.h): the HPET, and a line of an
 * I/O APIC. Returns true if they exist; the 8254 is then stopped for good. Called after cpus_find,
 * interrupts off.
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Each CPU's own area (struct percpu, arch/x86_64/cpu/inline.h) and its descriptor tables. */
#pragma once

#include "arch/x86_64/cpu/inline.h"

/*
 * Loads GS, GDT, TSS, IDT and the entry of system calls of the CPU with this number, whose stacks
 * exist. Before that the CPU can take no trap. Once for each CPU, interrupts off.
 */
void percpu_init(unsigned cpu);

/* How many CPUs there may be (arch_cpus). Boot. */
void percpu_set_count(unsigned cpus);

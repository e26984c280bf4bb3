/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data (struct percpu, arch/x86_64/cpu/inline.h) and descriptor tables. */
#pragma once

#include "arch/x86_64/cpu/inline.h"

/*
 * Loads GS, GDT, TSS, IDT and the system call entry of this CPU; its stacks must exist. It can take
 * no trap before. Once per CPU, interrupts off.
 */
void percpu_init(unsigned cpu);

/* Sets the maximum number of CPUs (arch_cpus). Boot. */
void percpu_set_count(unsigned cpus);

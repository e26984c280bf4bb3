/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data (struct percpu, arch/own.h) and descriptor tables. Boot, interrupts off. */
#pragma once

#include "arch/own.h"

/* Loads what this CPU's traps need; its stacks must exist. Once per CPU. */
void percpu_init(unsigned cpu);

/* Sets the result of arch_cpus. */
void percpu_set_count(unsigned cpus);

/* Fills the interrupt descriptor table from the entry stubs, each vector on its IST page. Once. */
void idt_init(void);

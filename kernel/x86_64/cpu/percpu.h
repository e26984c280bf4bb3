/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data (struct percpu, arch/own.h) and descriptor tables. */
#pragma once

#include "arch/own.h"

/* Loads what this CPU's traps need; its stacks must exist. Once per CPU, interrupts off. */
void percpu_init(unsigned cpu);

/* Sets the result of arch_cpus. Boot. */
void percpu_set_count(unsigned cpus);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine of a stalled CPU is doing: every CPU's chain, the locks, the newest samples.
 * Called by kernel/panic/watchdog.c, in an NMI, while all other CPUs stand still; takes no lock,
 * changes nothing, and prints by polling.
 */
#pragma once

#include "arch/cpu.h"
#include "arch/regs.h"

struct watchdog_stalls {
    const struct regs *regs;    /* what this CPU was interrupted at */
    uint64_t ns[ARCH_CPUS_MAX]; /* for so long a CPU has made no progress; 0: it does */
};

void watchdog_report(const struct watchdog_stalls *stalls);

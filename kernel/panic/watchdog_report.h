/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports the state of a machine with a stalled CPU: every CPU's call chain, the locks, the newest
 * samples. Called by kernel/panic/watchdog.c, in an NMI, while all other CPUs stand still; takes no
 * lock, changes nothing, and prints by polling.
 */
#pragma once

#include "arch/cpu.h"
#include "arch/regs.h"

struct watchdog_stalls {
    const struct regs *regs;    /* where the NMI interrupted this CPU */
    uint64_t ns[ARCH_CPUS_MAX]; /* how long each CPU has made no progress; 0: not stalled */
};

void watchdog_report(const struct watchdog_stalls *stalls);

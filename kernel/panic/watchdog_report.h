/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports a stalled machine: every CPU's call chain, the locks, the newest samples. In an NMI of
 * the watchdog, all other CPUs standing still; takes no lock, changes nothing, prints by polling.
 */
#pragma once

#include "arch/cpu.h"
#include "arch/regs.h"

struct watchdog_stalls {
    const struct regs *regs;    /* where the NMI interrupted this CPU */
    uint64_t ns[ARCH_CPUS_MAX]; /* how long each CPU has made no progress; 0: not stalled */
};

void watchdog_report(const struct watchdog_stalls *stalls);

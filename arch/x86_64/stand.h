/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NMI's side of standing still for a report (arch_cpus_stand, arch/arch.h; docs/watchdog.md).
 */
#pragma once

#include <stdint.h>

struct regs;

/* Stands still in here while that is what is asked for. On the NMI's page, watches off. */
void stand_serve(const struct regs *regs);

/* For so long, in all, CPUs have stood still for reports: ns that nobody could use. Any context. */
uint64_t stand_lost_ns(void);

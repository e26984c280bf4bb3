/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NMI's side of standing still for a report (arch_cpus_stand, arch/stop.h; docs/watchdog.md).
 */
#pragma once

#include <stdint.h>

struct regs;

#define STAND_REPORT 1u /* until the report has been made */
#define STAND_STOP   2u /* for a debugger, as soon as that may be: arch/x86_64/debug/stop.c */

/* Stands still in here while that is what is asked for. On the NMI's page, watches off. */
void stand_serve(struct regs *regs);

/* What STAND_STOP calls, in the NMI. */
void stand_set_stop(void (*stop)(struct regs *regs));

/* For so long, in all, CPUs have stood still for reports: ns that nobody could use. Any context. */
uint64_t stand_lost_ns(void);

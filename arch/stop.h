/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making all other CPUs stand still for a report, and halting them for good: for the kernel's
 * panics and its watchdog. What each stands at arch_stopped_regs tells (arch/park.h).
 */
#pragma once

/*
 * All other CPUs stand still at once, wherever they are, as far as they answer within a third of a
 * second, until arch_cpus_go: for a report that changes nothing. One CPU at a time. Any context.
 */
void arch_cpus_stand(void);
void arch_cpus_go(void);

/*
 * All other CPUs stop for good, as far as they answer, and no clock comes as an NMI any more. Crash
 * context.
 */
void arch_cpus_halt(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping all other CPUs for a report, and halting them permanently: for the kernel's panics and
 * its watchdog. arch_stopped_regs (arch/park.h) gives each CPU's registers.
 */
#pragma once

/*
 * Stops all other CPUs at once, wherever they are, until arch_cpus_go, except any that does not
 * answer within 0.3 s, not counting time during which the whole machine was stopped. For a report
 * that changes nothing. One CPU may call this at a time. Any context.
 */
void arch_cpus_rendezvous(void);
void arch_cpus_go(void);

/* Permanently halts all other CPUs that answer, and stops the NMI clock. Crash context. */
void arch_cpus_halt(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping all other CPUs for a report, and halting them for ever: for the kernel's panics and its
 * watchdog. arch_stopped_regs gives each CPU's registers (arch/park.h).
 */
#pragma once

/*
 * Stops all other CPUs at once, wherever they are, until arch_cpus_go, except those that do not
 * answer within 0.3 s, in which a stop of the whole machine does not count. For a report that
 * changes nothing. One CPU may call this at a time. Any context.
 */
void arch_cpus_rendezvous(void);
void arch_cpus_go(void);

/* Halts all other CPUs that answer for ever, and stops the clock that sends NMIs. Crash context. */
void arch_cpus_halt(void);

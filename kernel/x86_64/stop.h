/* SPDX-License-Identifier: BSD-2-Clause */
/* Stopping or halting all other CPUs: for panics and the watchdog. Registers: arch/park.h. */
#pragma once

/*
 * Stops all other CPUs until arch_cpus_go, except those that do not answer within 0.3 s in which
 * the machine runs. For a report that changes nothing. One caller at a time. Any context.
 */
void arch_cpus_rendezvous(void);
void arch_cpus_go(void);

/* Halts all other CPUs that answer, for good, and stops the NMI clock. Crash context. */
void arch_cpus_halt(void);

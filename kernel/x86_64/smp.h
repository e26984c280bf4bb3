/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other CPUs: for the scheduler, for reports, and for the boot (Intel SDM vol. 3, "MP
 * Initialization"). Registers of stopped ones: arch/cpu.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;

/*
 * Starts a CPU and waits until it is about to call `begin` on this stack, interrupts off, as the
 * outermost function; `begin` does not return. Returns false if the CPU did not start. Boot.
 */
bool arch_cpu_start(unsigned cpu, const struct arch_stack *stack, void (*begin)(void));

/* Makes the CPU leave arch_idle and check for a thread switch. Any context. */
void arch_cpu_poke(unsigned cpu);

/*
 * Stops all other CPUs until arch_cpus_go, except those that do not answer within 0.3 s in which
 * the machine runs. For a report that changes nothing. One caller at a time. Any context.
 */
void arch_cpus_rendezvous(void);
void arch_cpus_go(void);

/* Halts all other CPUs that answer, for good, and stops the NMI clock. Crash context. */
void arch_cpus_halt(void);

/* --- For the boot. Interrupts off, on the boot CPU. --- */

/*
 * Copies start-up code to `low_page`, a free page below 1 MiB. Runs on the boot loader's mapping.
 */
void smp_place(uint32_t low_page);

/* Registers the other CPUs: apic_ids[i] is the APIC ID of CPU i + 1. */
void smp_init(const uint32_t *apic_ids, size_t count);

/* What a starting CPU needs before it has a stack; also read by boot/entry_high.asm. */
struct smp_start {
    uint64_t page_tables; /* for CR3 */
    uint64_t stack;       /* [A] the top of the stack; the CPU that exchanges it for 0 owns it */
};

extern struct smp_start smp_start;

/* Called by boot/entry_high.asm on the starting CPU's stack, interrupts off. */
_Noreturn void smp_main(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Unlike parking, this stops a CPU anywhere: nothing that it reads changes. */
#include "kernel/x86_64/smp.h"

#include "arch/cpu.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/smp/patience.h"
#include "arch/x86_64/smp/rendezvous.h"

/* The shortest time in which every CPU is certain to have had its turns (patience.h). */
#define PATIENCE_NS (3 * PATIENCE_LOOK_NS)

static uint64_t since; /* [the CPU that reports] when the report began (arch_clock_ns) */
static uint64_t lost;  /* [A] total time of reports, in ns */

static bool all_stand(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (cpu != arch_cpu_id() && arch_cpu_runs(cpu) &&
            !(rendezvous_reasons(cpu) & (RENDEZVOUS_REPORT | RENDEZVOUS_HALT)))
            return false;
    return true;
}

static void ask_all_others(uint32_t reason)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (cpu != arch_cpu_id() && arch_cpu_runs(cpu)) {
            rendezvous_ask(cpu, reason);
            reach_send(cpu);
        }
}

/* A parked CPU does not count as stopped: it may be about to be released. */
void arch_cpus_rendezvous(void)
{
    struct patience patience;

    since = arch_clock_ns();
    patience_begin(&patience, PATIENCE_NS, since);
    ask_all_others(RENDEZVOUS_REPORT);
    while (!all_stand() && !patience_is_over(&patience, arch_clock_ns()))
        arch_relax();
}

/* Waits until all CPUs have resumed, so that the next report does not count them as stopped. */
void arch_cpus_go(void)
{
    unsigned one;

    __atomic_fetch_add(&lost, arch_clock_ns() - since, __ATOMIC_RELAXED);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        rendezvous_ask_no_more(cpu, RENDEZVOUS_REPORT);
    while (!rendezvous_all_others(RENDEZVOUS_REPORT, 0, &one))
        arch_relax();
}

uint64_t rendezvous_lost_ns(void)
{
    return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

void arch_cpus_halt(void)
{
    unsigned absent;

    nmi_clock_end();
    rendezvous_ask(arch_cpu_id(), RENDEZVOUS_HALTS);
    ask_all_others(RENDEZVOUS_HALT);
    rendezvous_await(RENDEZVOUS_HALT, RENDEZVOUS_HALT, PATIENCE_NS, &absent);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See stand.h. Unlike parking this asks no CPU whether it may be stopped where it is, as nothing
 * is changed that it may be looking at; and it is for one that has found something wrong in an NMI
 * of its own.
 */
#include "arch/x86_64/cpu/stand.h"

#include "arch/cpu.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "arch/stop.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/entry/nmi.h"

#define PATIENCE_NS 300000000ull /* a report is not to wait longer for who does not answer */

static uint64_t since;                          /* whose turn it is: arch_clock_ns */
static uint64_t lost;                           /* [A] */
static void (*stop_handler)(struct regs *regs); /* changed with all CPUs parked */

/* Stopped by this or parked: a parked one goes on only when its parker does. */
static bool stands(unsigned cpu)
{
    return !arch_cpu_runs(cpu) || cpu == arch_cpu_id() || arch_stopped_regs(cpu);
}

static bool all_stand(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (!stands(cpu))
            return false;
    return true;
}

void arch_cpus_stand(void)
{
    since = arch_clock_ns();
    /* Parked ones too: their parker may be about to let them go. */
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) && cpu != arch_cpu_id()) {
            __atomic_fetch_or(&percpu[cpu].stand_asked, STAND_REPORT, __ATOMIC_RELEASE);
            nmi_send(cpu);
        }
    while (!all_stand() && arch_clock_ns() - since < PATIENCE_NS)
        arch_relax();
}

/* All that stand have gone on when this returns, so that the next one finds none of them. */
void arch_cpus_go(void)
{
    __atomic_fetch_add(&lost, arch_clock_ns() - since, __ATOMIC_RELAXED);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        __atomic_fetch_and(&percpu[cpu].stand_asked, ~STAND_REPORT, __ATOMIC_RELEASE);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        while (__atomic_load_n(&percpu[cpu].stands, __ATOMIC_ACQUIRE))
            arch_relax();
}

const struct regs *arch_stopped_regs(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].stands, __ATOMIC_ACQUIRE) ? percpu[cpu].stood_regs
                                                                  : arch_parked_regs(cpu);
}

uint64_t stand_lost_ns(void)
{
    return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

void stand_set_stop(void (*stop)(struct regs *regs))
{
    stop_handler = stop;
}

static void stand_for_report(struct percpu *self, const struct regs *regs)
{
    self->stood_regs = regs;
    __atomic_store_n(&self->stands, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&self->stand_asked, __ATOMIC_ACQUIRE) & STAND_REPORT)
        arch_relax();
    __atomic_store_n(&self->stands, 0, __ATOMIC_RELEASE);
}

void stand_serve(struct regs *regs)
{
    struct percpu *self = percpu_self();
    uint32_t asked = __atomic_load_n(&self->stand_asked, __ATOMIC_ACQUIRE);

    if (!asked)
        return;
    if (asked & STAND_REPORT)
        stand_for_report(self, regs);
    if (asked & STAND_STOP && stop_handler)
        stop_handler(regs);
}

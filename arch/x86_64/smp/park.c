/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parking: one CPU, the parker, stops all others, for a change (in task context) or for a
 * debugger's stop (in a trap or NMI; docs/kernel.md). rendezvous.c has the waiting side.
 */

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/memory/sections.h"
#include "arch/x86_64/smp/rendezvous.h"

#define PATIENCE_NS 2000000000ull /* emulated CPUs take turns: patience.h */

/* The reasons to keep waiting: another CPU stops first, or steps alone. */
#define UNTIL_MY_TURN (RENDEZVOUS_PARK | RENDEZVOUS_REPORT | RENDEZVOUS_HALT)

static uint32_t parker;        /* [A] the CPU + 1; 0: none */
static unsigned depth;         /* [parker] nested parkings */
static uint32_t number;        /* [parker] the parking's number, in RENDEZVOUS_PARK; never 0 */
static uint64_t irq_flags;     /* the parker's flags, before the parking */
static unsigned held;          /* [A] 1 if the parker parks for a stop, else 0 */
static bool (*may_park)(void); /* set at boot */

void arch_set_may_park(bool (*may)(void))
{
    may_park = may;
}

/* Changes a CPU's parking from number `from` to `to`. One of them is 0, which means no parking. */
static void ask(unsigned cpu, uint32_t from, uint32_t to)
{
    if (rendezvous_ask_number(cpu, from, to) && to)
        reach_send(cpu);
}

static void ask_all(uint32_t from, uint32_t to)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (cpu != arch_cpu_id() && arch_cpu_runs(cpu))
            ask(cpu, from, to);
}

/* Parks all others, with a new number so that an answer to an earlier parking does not count. */
static void next_parking(void)
{
    reach_begins();
    number += RENDEZVOUS_NUMBER;
    if (number == 0)
        number = RENDEZVOUS_NUMBER;
    ask_all(0, number);
}

/* Waits until the released CPUs have resumed. */
static void let_go(void)
{
    unsigned one;

    ask_all(number, 0); /* P, with rendezvous_wait */
    while (!rendezvous_all_others(RENDEZVOUS_PARK, 0, &one))
        arch_relax();
}

static void parker_leave(void)
{
    uint64_t flags = irq_flags;

    __atomic_store_n(&parker, 0, __ATOMIC_RELEASE);
    arch_irq_restore(flags);
}

/*
 * This CPU is already the parker. The others need not all be stopped: a debugger may let this CPU
 * run alone, or a stop may be waiting for a CPU that does not answer.
 */
static bool park_again(uint64_t flags, unsigned *absent)
{
    if (!rendezvous_all_others(RENDEZVOUS_PARK, number, absent)) {
        arch_irq_restore(flags);
        return false;
    }
    if (depth++ == held)
        irq_flags = flags;
    return true;
}

bool arch_cpus_park(unsigned *absent)
{
    uint64_t flags = arch_irq_save();
    uint32_t other = 0;

    if (park_is_parker())
        return park_again(flags, absent);
    while (!__atomic_compare_exchange_n(&parker, &other, arch_cpu_id() + 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (!reach_waits(flags)) {
            *absent = other - 1;
            arch_irq_restore(flags);
            return false;
        }
        other = 0;
    }
    irq_flags = flags;
    next_parking();
    if (rendezvous_await(RENDEZVOUS_PARK, number, PATIENCE_NS, absent)) {
        depth = 1;
        return true;
    }
    let_go();
    parker_leave();
    return false;
}

bool park_is_parker(void)
{
    return __atomic_load_n(&parker, __ATOMIC_RELAXED) == arch_cpu_id() + 1;
}

bool park_has_lone(unsigned *cpu)
{
    uint32_t one = __atomic_load_n(&parker, __ATOMIC_RELAXED);

    *cpu = one - 1;
    return one && __atomic_load_n(&held, __ATOMIC_RELAXED);
}

/* False in a debug trap and in a trap's entry or exit, which go on using watches they have read. */
bool park_may(const struct regs *regs)
{
    return arch_trap_depth() == 1 && !nowatch_text_has(regs->ip) && (!may_park || may_park());
}

void arch_cpus_release(void)
{
    arch_check(parker == arch_cpu_id() + 1 && depth > held);
    if (--depth > held)
        return;
    if (held) {
        arch_irq_restore(irq_flags);
    } else {
        let_go();
        parker_leave();
    }
    if (rendezvous_is_asked(arch_cpu_id(), RENDEZVOUS_STOP))
        reach_send(arch_cpu_id()); /* a debugger's NMI may have come during the parking */
}

bool park_for_stop(struct regs *regs, unsigned *absent)
{
    struct percpu *self = percpu_self();
    uint32_t me = self->cpu + 1, nobody = 0, asked;
    bool alone = true;

    if (park_is_parker() && !held) {
        held = 1;
        depth++;
        alone = false;
    }
    while (__atomic_load_n(&parker, __ATOMIC_RELAXED) != me) {
        asked = __atomic_load_n(&self->rendezvous_asked, __ATOMIC_ACQUIRE) & UNTIL_MY_TURN;
        if (asked)
            rendezvous_wait(regs, UNTIL_MY_TURN, asked);
        nobody = 0;
        if (__atomic_compare_exchange_n(&parker, &nobody, me, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            /* no other CPU stores `held`: all are stopped, or the next parker waits */
            held = depth = 1;
            next_parking();
            alone = false;
        } else {
            arch_relax();
        }
    }
    if (rendezvous_await(RENDEZVOUS_PARK, number, PATIENCE_NS, absent))
        *absent = ARCH_NO_CPU;
    return alone;
}

void park_end_stop(void)
{
    arch_check(park_is_parker() && depth >= held);
    depth -= held;
    held = 0;
    if (depth > 0) /* the change that the stop interrupted releases all CPUs at its end */
        return;
    let_go();
    __atomic_store_n(&parker, 0, __ATOMIC_RELEASE);
}

void park_pass_on(unsigned cpu, struct regs *regs)
{
    uint32_t mine = number;

    arch_check(park_is_parker() && held && cpu != arch_cpu_id());
    rendezvous_ask_number(arch_cpu_id(), 0, mine);
    __atomic_store_n(&parker, cpu + 1, __ATOMIC_RELEASE);
    ask(cpu, mine, 0);
    rendezvous_wait(regs, UNTIL_MY_TURN, mine);
}

bool arch_park_is_changing(void)
{
    return park_is_parker() && (!held || depth > held);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parking: one CPU, the parker, stops all others for a change, or for a debugger's stop;
 * docs/kernel.md has the design. Only one CPU parks at a time. arch_cpus_park and arch_cpus_release
 * run in the parker's task context, the functions called by a stop in its debug trap, breakpoint
 * trap or NMI. rendezvous.c implements the waiting of the other CPUs.
 */
#include "arch/x86_64/smp/park.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/check.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/entry/nmi.h"
#include "arch/x86_64/memory/sections.h"
#include "arch/x86_64/smp/rendezvous.h"

#define PATIENCE_NS 2000000000ull /* emulated CPUs take turns: patience.h */

/* Reasons for which a CPU waits until its turn to stop, or during another CPU's step. */
#define UNTIL_MY_TURN (RENDEZVOUS_PARK | RENDEZVOUS_REPORT | RENDEZVOUS_HALT)

static uint32_t parker;        /* [A] the CPU that parks the others, + 1; 0: none */
static unsigned depth;         /* [parker] nesting depth of its parkings */
static uint32_t number;        /* [parker] the number of its parking, in RENDEZVOUS_PARK; never 0 */
static uint64_t irq_flags;     /* the parker's, from before the parking */
static unsigned held;          /* [A] the parker's: 1 if it parks for a debugger's stop, else 0 */
static bool (*may_park)(void); /* set at boot */

void arch_set_may_park(bool (*may)(void))
{
    may_park = may;
}

/* Replaces the parking that a CPU is asked for; one of `from` and `to` is 0 (none). */
static void ask(unsigned cpu, uint32_t from, uint32_t to)
{
    if (rendezvous_ask_number(cpu, from, to) && to)
        nmi_send(cpu);
}

static void ask_all(uint32_t from, uint32_t to)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (cpu != arch_cpu_id() && arch_cpu_runs(cpu))
            ask(cpu, from, to);
}

/* Uses a new number, so that an answer to an earlier parking does not count for this one. */
static void next_parking(void)
{
    number += RENDEZVOUS_NUMBER;
    if (number == 0)
        number = RENDEZVOUS_NUMBER;
    ask_all(0, number);
}

static bool await_all(unsigned *absent)
{
    return rendezvous_await(RENDEZVOUS_PARK, number, PATIENCE_NS, absent);
}

/* Releases all parked CPUs, and waits until they have resumed. */
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
 * This CPU is already the parker. Not all other CPUs need be stopped: a debugger may let this CPU
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
    uint32_t me = arch_cpu_id() + 1, nobody = 0;

    if (__atomic_load_n(&parker, __ATOMIC_RELAXED) == me)
        return park_again(flags, absent);
    while (!__atomic_compare_exchange_n(&parker, &nobody, me, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        nobody = 0;
        arch_relax(); /* the NMI of the other parker arrives here */
    }
    irq_flags = flags;
    next_parking();
    if (await_all(absent)) {
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

/*
 * False inside a debug trap, or while entering or leaving one: the trap continues to use the
 * watches that it has read, so they may not change.
 */
bool park_may(const struct regs *regs)
{
    return arch_trap_depth() == 1 && !nowatch_text_has(regs->ip) && (!may_park || may_park());
}

/* A debugger that tried to stop this CPU while it parked the others sends its NMI again. */
static void stop_again(void)
{
    unsigned cpu = arch_cpu_id();

    if (rendezvous_is_asked(cpu, RENDEZVOUS_STOP))
        nmi_send(cpu);
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
    stop_again();
}

/* No other CPU stores `held` meanwhile: all are stopped, or the next parker waits. */
static void park_begin_stop(void)
{
    held = depth = 1;
    next_parking();
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
            park_begin_stop();
            alone = false;
        } else {
            arch_relax();
        }
    }
    if (await_all(absent))
        *absent = ARCH_NO_CPU;
    return alone;
}

void park_end_stop(void)
{
    arch_check(park_is_parker() && depth >= held);
    depth -= held;
    held = 0;
    if (depth > 0) /* the interrupted change continues, and releases all at its end */
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

bool park_may_stop(const struct regs *regs)
{
    return park_may(regs) && !arch_park_is_changing();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping all other CPUs, by NMI, so that it reaches those with interrupts off too; docs/smp.md
 * has the design. arch_cpus_park and arch_cpus_release run in task context of one CPU at a time,
 * park_serve in the NMIs of the others, where NMIs stay blocked until they go on.
 */
#include "arch/x86_64/cpu/park.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "arch/stop.h"
#include "arch/x86_64/cpu/apic.h"
#include "arch/x86_64/cpu/check.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/cpu/port_counted.h"
#include "arch/x86_64/cpu/stand.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/nmi.h"
#include "arch/x86_64/memory/sections.h"

/*
 * park_asked: 0, or the number of a parking, in which the CPU is to stand still where nothing is
 * under way that the parker may change; or, for good and wherever it is:
 */
#define ASKED_TO_HALT UINT32_MAX

#define PATIENCE_NS 2000000000ull /* emulated CPUs take turns, of a tenth of a second */
#define HALT_NS     300000000ull  /* a panic does not wait longer */
#define AGAIN_NS    20000ull      /* between two NMIs to one that could not stop yet, */
#define LOST_NS     100000000ull  /* ... and to one that seems to have had none */

static uint32_t parker;    /* [A] the CPU that parks the others, + 1; 0: none */
static unsigned depth;     /* the parker's: how often it has */
static uint32_t number;    /* the parker's: of its parking; never 0, never ASKED_TO_HALT */
static uint32_t halter;    /* [A] the CPU that halts the others, + 1; 0: none. It is not parked */
static uint64_t irq_flags; /* the parker's: from before */
static unsigned held;      /* [A] the parker's: 1 where a debugger's stop has made it that, or 0 */
static void (*meanwhile)(void); /* [A] by who parks; NULL: parked CPUs do nothing */
static bool (*may_park)(void);  /* set at boot */

void arch_set_may_park(bool (*may)(void))
{
    may_park = may;
}

static bool is_asked(unsigned cpu)
{
    return cpu != arch_cpu_id() && arch_cpu_runs(cpu);
}

/* From the one to the other; to halt is final. */
static bool ask(unsigned cpu, uint32_t from, uint32_t to)
{
    if (to == ASKED_TO_HALT) {
        __atomic_store_n(&percpu[cpu].park_asked, to, __ATOMIC_RELEASE);
        return true;
    }
    return __atomic_compare_exchange_n(&percpu[cpu].park_asked, &from, to, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED);
}

static void ask_all(uint32_t from, uint32_t to)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (is_asked(cpu) && ask(cpu, from, to) && to)
            nmi_send(cpu);
}

/* True if all have answered; else *one has not. What one said to a parking before is no answer. */
static bool all_are(uint32_t parked, unsigned *one)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (is_asked(cpu) && __atomic_load_n(&percpu[cpu].parked, __ATOMIC_ACQUIRE) != parked) {
            *one = cpu;
            return false;
        }
    return true;
}

static bool has_had_its_nmis(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].nmi_seen, __ATOMIC_ACQUIRE) ==
           __atomic_load_n(&percpu[cpu].nmi_sent, __ATOMIC_RELAXED);
}

/* Nobody can answer while a report has all CPUs stand still. */
static uint64_t patience_clock(void)
{
    return arch_clock_ns() - stand_lost_ns();
}

/* Who could not stop where the last NMI met him gets another. */
static bool await_all(uint32_t answer, uint64_t patience, unsigned *absent)
{
    uint64_t start = patience_clock(), asked = start, now;

    while (!all_are(answer, absent)) {
        now = patience_clock();
        if (now - start > patience)
            return false;
        if (now - asked > (has_had_its_nmis(*absent) ? AGAIN_NS : LOST_NS)) {
            nmi_send(*absent);
            asked = now;
        }
        arch_relax();
    }
    return true;
}

/* All that have stopped go on, and have done so when this returns. */
static void let_go(void)
{
    unsigned one;

    ask_all(number, 0); /* P, with park_wait */
    while (!all_are(0, &one))
        arch_relax();
}

static void parker_leave(void)
{
    uint64_t flags = irq_flags;

    __atomic_store_n(&parker, 0, __ATOMIC_RELEASE);
    arch_irq_restore(flags);
}

/*
 * The others stand still already; where a debugger lets this one go on alone, or a stop waits in
 * vain for one, that need not be all.
 */
static bool park_again(uint64_t flags, unsigned *absent)
{
    if (!all_are(number, absent)) {
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
        arch_relax(); /* the other one's NMI gets through here */
    }
    irq_flags = flags;
    number = number + 1 < ASKED_TO_HALT ? number + 1 : 1;
    ask_all(0, number);
    if (await_all(number, PATIENCE_NS, absent)) {
        depth = 1;
        return true;
    }
    let_go();
    parker_leave();
    return false;
}

void arch_cpus_halt(void)
{
    unsigned absent;

    nmi_clock_end();
    __atomic_store_n(&halter, arch_cpu_id() + 1, __ATOMIC_SEQ_CST);
    ask_all(0, ASKED_TO_HALT);
    await_all(ASKED_TO_HALT, HALT_NS, &absent);
}

const struct regs *arch_parked_regs(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].parked, __ATOMIC_ACQUIRE) ? percpu[cpu].parked_regs : NULL;
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

void park_set_meanwhile(void (*serve)(void))
{
    __atomic_store_n(&meanwhile, serve, __ATOMIC_RELAXED);
}

bool park_is_held(void)
{
    return park_is_parker() && held;
}

/*
 * Not inside a debug trap, or on the way into or out of one: that goes on with what it has read of
 * the watches.
 */
static bool is_between_hits(const struct percpu *self, const struct regs *regs)
{
    bool enters =
        regs->ip >= (uintptr_t)nowatch_text_start && regs->ip < (uintptr_t)nowatch_text_end;

    return self->watch_depth == 1 && !enters && (!may_park || may_park());
}

static void park_pass_time(void)
{
    void (*serve)(void) = __atomic_load_n(&meanwhile, __ATOMIC_RELAXED);

    if (serve)
        serve();
    arch_relax();
}

/* What the parker has changed meanwhile is seen after the load: P, with let_go. */
static void park_wait(struct percpu *self, const struct regs *regs, uint32_t answer)
{
    uint32_t asked;

    self->parked_regs = regs;
    do {
        __atomic_store_n(&self->parked, answer, __ATOMIC_RELEASE);
        if (answer == ASKED_TO_HALT)
            arch_halt();
        while ((asked = __atomic_load_n(&self->park_asked, __ATOMIC_ACQUIRE)) == answer)
            park_pass_time();
        answer = asked;
    } while (asked == ASKED_TO_HALT);
    debugreg_load();
    apic_button_follow();
    __atomic_store_n(&self->parked, 0, __ATOMIC_RELEASE);
}

/* A debugger that wanted to stop this CPU while it had parked the others asks again. */
static void stand_again(void)
{
    struct percpu *self = percpu_self();

    if (__atomic_load_n(&self->stand_asked, __ATOMIC_RELAXED) & STAND_STOP)
        nmi_send(self->cpu);
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
    stand_again();
}

/* Nobody else sets it meanwhile: all stand still, or the next to park waits. */
static void park_begin_stop(void)
{
    held = depth = 1;
    number = number + 1 < ASKED_TO_HALT ? number + 1 : 1;
    ask_all(0, number);
}

bool park_for_stop(const struct regs *regs, unsigned *absent)
{
    struct percpu *self = percpu_self();
    uint32_t me = self->cpu + 1, nobody = 0, asked;

    if (park_is_parker() && !held) {
        held = 1;
        depth++;
    }
    while (__atomic_load_n(&parker, __ATOMIC_RELAXED) != me) {
        asked = __atomic_load_n(&self->park_asked, __ATOMIC_ACQUIRE);
        if (asked)
            park_wait(self, regs, asked);
        nobody = 0;
        if (__atomic_compare_exchange_n(&parker, &nobody, me, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            park_begin_stop();
        else
            arch_relax();
    }
    return await_all(number, PATIENCE_NS, absent);
}

void park_end_stop(void)
{
    depth -= held;
    held = 0;
    if (depth > 0) /* the change that it came upon goes on, and lets all go at its end */
        return;
    let_go();
    __atomic_store_n(&parker, 0, __ATOMIC_RELEASE);
}

void park_pass_on(unsigned cpu, const struct regs *regs)
{
    struct percpu *self = percpu_self();
    uint32_t mine = number;

    __atomic_store_n(&self->park_asked, mine, __ATOMIC_RELAXED);
    __atomic_store_n(&parker, cpu + 1, __ATOMIC_RELEASE);
    ask(cpu, mine, 0);
    park_wait(self, regs, mine);
}

bool arch_park_is_changing(void)
{
    return park_is_parker() && (!held || depth > held);
}

bool park_may_stop(const struct regs *regs)
{
    return is_between_hits(percpu_self(), regs) && !arch_park_is_changing();
}

void park_serve(struct regs *regs)
{
    struct percpu *self = percpu_self();
    uint32_t asked = __atomic_load_n(&self->park_asked, __ATOMIC_ACQUIRE);

    if (__atomic_load_n(&halter, __ATOMIC_SEQ_CST) == self->cpu + 1)
        return;
    if (asked == ASKED_TO_HALT || (asked && is_between_hits(self, regs))) {
        port_count_settle(regs);
        park_wait(self, regs, asked);
    }
}

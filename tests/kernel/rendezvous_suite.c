/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of a CPU's reasons to wait may nest in which (docs/kernel.md, "Rendezvous"), and that a CPU
 * waits for one reason at a time. Needs at least two CPUs: this one asks, CPU 1 waits.
 */
#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/x86_64/smp/patience.h"
#include "arch/x86_64/smp/rendezvous.h"
#include "core/lib/cpus.h"
#include "kernel/sched/thread.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "kernel/x86_64/smp.h"
#include "tests/kernel/ktap.h"

#define THERE       1u
#define PATIENCE_NS 2000000000ull

static uint32_t stage;       /* [A] */
static struct regs trapped;  /* registers interrupted by the trap that waits */
static uint64_t turns_there; /* [A] */

static void await_stage(uint32_t wanted)
{
    while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) < wanted)
        arch_relax();
}

static void next_stage(uint32_t now)
{
    __atomic_store_n(&stage, now, __ATOMIC_RELEASE);
}

/* Starts a function in a thread on CPU 1; returns once it has reached stage 1. */
static struct thread *begin(void (*function)(void *))
{
    struct refusal why;
    struct thread *thread;

    stage = 0;
    thread = thread_create_on(THERE, "stands", function, NULL, &why);
    await_stage(1);
    return thread;
}

static bool await_reasons(uint32_t reasons)
{
    struct patience patience;

    patience_begin(&patience, PATIENCE_NS, arch_clock_ns());
    while (rendezvous_reasons(THERE) != reasons && !patience_is_over(&patience, arch_clock_ns()))
        arch_relax();
    return rendezvous_reasons(THERE) == reasons;
}

static bool is_parked_alone(void)
{
    return rendezvous_reasons(THERE) & RENDEZVOUS_PARK &&
           !(rendezvous_reasons(THERE) & ~RENDEZVOUS_PARK);
}

/* --- A thread that is interrupted while its interrupts are off. --- */

static void spin(void *unused)
{
    uint64_t flags = arch_irq_save();

    (void)unused;
    next_stage(1);
    while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) < 2) {
        __atomic_fetch_add(&turns_there, 1, __ATOMIC_RELAXED);
        arch_relax();
    }
    arch_irq_restore(flags);
}

static bool is_of(const struct thread *thread, const struct regs *regs)
{
    return regs && regs->sp > thread->stack->low && regs->sp <= thread->stack->high;
}

/* True if it makes no turn meanwhile. */
static bool stands_still(void)
{
    uint64_t turns = __atomic_load_n(&turns_there, __ATOMIC_ACQUIRE), start = arch_clock_ns();

    while (arch_clock_ns() - start < 1000000)
        arch_relax();
    return __atomic_load_n(&turns_there, __ATOMIC_ACQUIRE) == turns;
}

static void claim_alone(const struct thread *thread)
{
    unsigned absent;

    ktap_ok(!arch_stopped_regs(THERE), "a CPU that runs stands at nothing");
    ktap_ok(arch_cpus_park(&absent) && is_parked_alone(), "it is parked");
    ktap_ok(is_of(thread, arch_stopped_regs(THERE)) && stands_still(),
            "... and stands still at what the NMI has interrupted");
    arch_cpus_release();
    ktap_ok(!arch_stopped_regs(THERE), "... until it is released");
    arch_cpus_rendezvous();
    ktap_equal(rendezvous_reasons(THERE), RENDEZVOUS_REPORT, "it stands still for a report");
    ktap_ok(is_of(thread, arch_stopped_regs(THERE)) && stands_still(),
            "... at what the NMI has interrupted");
    arch_cpus_go();
    ktap_ok(await_reasons(0), "... until that is over");
}

static void claim_report_of_parked(void)
{
    struct regs *at;
    unsigned absent;

    ktap_ok(arch_cpus_park(&absent), "it is parked again,");
    at = arch_stopped_regs(THERE);
    arch_cpus_rendezvous();
    ktap_ok(rendezvous_reasons(THERE) & RENDEZVOUS_REPORT &&
                rendezvous_reasons(THERE) & RENDEZVOUS_PARK,
            "and stands still for a report as well, parked as it is,");
    ktap_ok(arch_stopped_regs(THERE) == at, "... at the same place");
    arch_cpus_release();
    ktap_equal(rendezvous_reasons(THERE), RENDEZVOUS_REPORT,
               "... which goes on when the parker has ended");
    ktap_ok(arch_stopped_regs(THERE) == at && stands_still(), "... at the same place still");
    arch_cpus_go();
    ktap_ok(await_reasons(0), "... until it has ended, too");
}

static void claim_parking_in_report(void)
{
    struct regs *at;
    unsigned absent;

    arch_cpus_rendezvous();
    at = arch_stopped_regs(THERE);
    ktap_ok(arch_cpus_park(&absent), "one that stands still for a report can be parked");
    arch_cpus_go();
    ktap_ok(is_parked_alone(), "... which outlives the report,");
    ktap_ok(at && arch_stopped_regs(THERE) == at && stands_still(), "... at the same place");
    arch_cpus_release();
    ktap_ok(!arch_stopped_regs(THERE), "... until it is released");
}

/* --- A debug trap that waits for its turn to stop. --- */

/* NMIs arrive there while it is between hits. */
static void wait_in_trap(void *unused)
{
    struct percpu *self = percpu_self();
    uint64_t flags = arch_irq_save();

    (void)unused;
    self->watch_depth++;
    next_stage(1);
    await_stage(2);
    rendezvous_wait(&trapped, RENDEZVOUS_PARK, RENDEZVOUS_NUMBER);
    self->watch_depth--;
    next_stage(3);
    arch_irq_restore(flags);
}

static void claim_report_upon_wait(void)
{
    struct thread *thread = begin(wait_in_trap);

    rendezvous_ask_number(THERE, 0, RENDEZVOUS_NUMBER);
    next_stage(2);
    ktap_ok(await_reasons(RENDEZVOUS_NUMBER),
            "a trap is parked while it waits for its turn to stop");
    arch_cpus_rendezvous();
    ktap_ok(await_reasons(RENDEZVOUS_NUMBER | RENDEZVOUS_REPORT), "a report's NMI comes upon it");
    ktap_ok(arch_stopped_regs(THERE) == &trapped, "... and it stands at what it has trapped");
    arch_cpus_go();
    ktap_equal(rendezvous_reasons(THERE), RENDEZVOUS_NUMBER,
               "... and is parked still when that has gone");
    ktap_ok(arch_stopped_regs(THERE) == &trapped, "... there");
    rendezvous_ask_number(THERE, RENDEZVOUS_NUMBER, 0);
    await_stage(3);
    ktap_ok(!arch_stopped_regs(THERE) && rendezvous_reasons(THERE) == 0,
            "... until it is released");
    thread_join(thread);
}

/* --- Halting. --- */

static unsigned absent_there; /* of CPU 1's parking; ARCH_NO_CPU: it succeeded */

static void park_from_there(void *unused)
{
    (void)unused;
    if (arch_cpus_park(&absent_there)) {
        arch_cpus_release();
        absent_there = ARCH_NO_CPU;
    }
    next_stage(1);
}

/*
 * Like a CPU that halts the others, before it asks them; and like one that is asked, without an
 * NMI.
 */
static void claim_halting(void)
{
    unsigned me = arch_cpu_id();

    rendezvous_ask(me, RENDEZVOUS_HALTS);
    thread_join(begin(park_from_there));
    ktap_equal(absent_there, me, "who halts the others is not parked");
    rendezvous_ask_no_more(me, RENDEZVOUS_HALTS);
    thread_join(begin(park_from_there));
    ktap_equal(absent_there, ARCH_NO_CPU, "... and else is");
    rendezvous_ask(THERE, RENDEZVOUS_HALT);
    ktap_ok(!rendezvous_ask_number(THERE, 0, RENDEZVOUS_NUMBER) &&
                rendezvous_is_asked(THERE, RENDEZVOUS_HALT) &&
                !rendezvous_is_asked(THERE, RENDEZVOUS_PARK),
            "no parker takes back that a CPU is to halt");
    rendezvous_ask_no_more(THERE, RENDEZVOUS_HALT);
}

static void rendezvous_claims(void)
{
    struct thread *thread;

    if (!ktap_ok(cpus_running() > 1 && arch_cpu_id() != THERE, "there is another CPU"))
        return;
    thread = begin(spin);
    claim_alone(thread);
    claim_report_of_parked();
    claim_parking_in_report();
    next_stage(2);
    thread_join(thread);
    claim_report_upon_wait();
    claim_halting();
}

KTAP_SUITE(rendezvous, "what a CPU stands still for, and what may come inside what");

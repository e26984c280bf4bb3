/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's stops (docs/gdb.md), in every kernel; what depends on its entries is in
 * stop_entries.c or arch/embed/debugger.c. On the debug trap's stack, interrupts and watches off;
 * never traps.
 */
#include "arch/x86_64/debug/stop.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/unwind.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/smp/rendezvous.h"

/* Changed with all other CPUs parked; the boot CPU may read it while parked. */
static const struct arch_debugger *debugger;

const struct arch_debugger *stop_debugger(void)
{
    return __atomic_load_n(&debugger, __ATOMIC_RELAXED);
}

/* The last time at which the debugger's line may have been read. [boot CPU; any CPU in a stop] */
static uint64_t heard;

/* Number of stops reported to the debugger. [the parker] */
static unsigned told;

static void stop_is_over(void)
{
    heard = arch_clock_ns();
    rendezvous_leave_stop();
}

/* Enough for the others to leave their NMIs and run some instructions. */
#define OTHERS_RUN_NS 50000ull

/*
 * Lets the other CPUs run and parks them again while this CPU stays stopped. Returns false if
 * another CPU has stopped meanwhile; this CPU then resumes as the debugger requested in that stop.
 */
static bool stop_lets_others_run(struct regs *regs, unsigned *absent)
{
    unsigned before = told;
    uint64_t since;
    bool alone;

    stop_is_over();
    park_end_stop();
    since = arch_clock_ns();
    while (arch_clock_ns() - since < OTHERS_RUN_NS)
        arch_relax();
    alone = park_for_stop(regs, absent);
    if (told == before) {
        rendezvous_enter_stop(regs);
        return true;
    }
    if (!alone)
        park_end_stop();
    return false;
}

/* The debugger must see stepped contexts as they were. */
static void stop_cancel_steps(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_stopped_regs(cpu))
            stop_step_cancel(cpu, arch_stopped_regs(cpu));
}

/* False if an earlier stop has removed the reason. */
static bool stop_is_wanted(unsigned cpu, enum arch_stop why)
{
    if (why == ARCH_STOP_HIT)
        return debugger->wants(cpu);
    return why != ARCH_STOP_BREAK || debugger->asks(cpu);
}

void stop_enter(struct regs *regs, enum arch_stop why)
{
    unsigned cpu = arch_cpu_id(), absent;
    struct arch_resume resume;
    uintptr_t ip = regs->ip;
    bool alone = park_for_stop(regs, &absent);

    if (!debugger || ip != regs->ip || !stop_is_wanted(cpu, why)) {
        if (!alone)
            park_end_stop();
        return;
    }
    rendezvous_enter_stop(regs);
    stop_cancel_steps();
    for (;;) {
        resume = (struct arch_resume){.all = true, .only = ARCH_NO_CPU};
        told++;
        debugger->stopped(cpu, why, absent, &resume);
        if (!resume.step)
            break;
        if (resume.all && !stop_lets_others_run(regs, &absent))
            return;
        resume.all = false;
        if (stop_step_prepare(resume.only, arch_stopped_regs(resume.only)))
            break;
        why = ARCH_STOP_STEPPED;
    }
    stop_is_over();
    if (resume.all)
        park_end_stop();
    else if (resume.only != cpu)
        park_pass_on(resume.only, regs); /* returns when this CPU may resume */
}

void stop_settle(struct regs *regs, uintptr_t ip, bool at_breakpoint)
{
    unsigned cpu = arch_cpu_id();

    if (regs->ip == ip && at_breakpoint)
        regs->flags |= FLAGS_RESUME;
    else if (regs->ip != ip)
        regs->flags &= ~FLAGS_RESUME;
    if (stop_step_is_under_way(cpu) || debugreg_is_stepped(cpu, regs))
        debugreg_step(cpu);
    else
        debugreg_step_over(cpu);
}

bool arch_stop_is_due(unsigned cpu)
{
    return rendezvous_is_asked(cpu, RENDEZVOUS_STOP);
}

/* Clears the request to stop; true if there was one. */
static bool stop_taken(unsigned cpu)
{
    return rendezvous_ask_no_more(cpu, RENDEZVOUS_STOP);
}

/* Like stop_taken, but true only if the debugger still has a reason to stop. */
static bool stop_is_asked(unsigned cpu)
{
    return stop_taken(cpu) && debugger && debugger->asks(cpu);
}

/*
 * Called at the end of a trap during which a stop was requested. Whatever prevents the stop now
 * (the debugger's step, a change of watches, output to the debugger) requests it again when it
 * ends.
 */
static void stop_late(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();

    if (arch_park_is_changing() || !debugger->may_stop(cpu) || stop_step_is_under_way(cpu))
        return;
    stop_taken(cpu);
    stop_at_end(regs, ARCH_STOP_BREAK, false);
}

/*
 * True if the stepped instruction faulted: a stop in the fault's handler would cancel the step,
 * whose flags are in the handler's frame. It comes when the step has ended.
 */
static bool stop_is_in_fault(unsigned cpu, const struct regs *regs)
{
    return stop_step_is_under_way(cpu) && !(regs->flags & FLAGS_TRAP);
}

/* Called at the end of a kernel debug trap that is neither a hit nor the debugger's step. */
static void stop_passed(struct regs *regs)
{
    if (arch_stop_is_due(arch_cpu_id()))
        stop_late(regs);
}

/* --- Debug traps: in place of the arbiter's handler, and after steps. --- */

static void stop_fired(unsigned fired, struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    bool hit, asked;

    debugreg_watch_fired(fired, regs);
    hit = debugger->wants(cpu);
    if (!hit && !arch_stop_is_due(cpu))
        return;
    if (arch_park_is_changing() || !debugger->may_stop(cpu) || stop_is_in_fault(cpu, regs)) {
        arch_stop_cpu(cpu); /* after that */
        return;
    }
    asked = stop_is_asked(cpu);
    if (!hit && !asked) /* perhaps the debugger's step, which is reported next */
        return;
    /* The hit is reported in either case; the request holds even if the hit is no longer wanted. */
    stop_at_end(regs, asked ? ARCH_STOP_BREAK : ARCH_STOP_HIT, fired & debugreg.executes);
}

/*
 * A request that came during the step is not repeated by an interrupt, as those are off, nor served
 * by another stop, as all other CPUs are parked. So it is read and cleared in one operation: an NMI
 * may also request a stop here, and that would be lost if cleared unseen before another step.
 */
static void stop_stepped(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();

    if (debugger && !debugger->may_stop(cpu) && stop_step_prepare(cpu, regs))
        return;
    stop_at_end(regs, stop_is_asked(cpu) ? ARCH_STOP_BREAK : ARCH_STOP_STEPPED, false);
}

static void stop_asked(struct regs *regs)
{
    if (!debugger)
        return;
    if (!park_may(regs) || arch_park_is_changing() || stop_is_in_fault(arch_cpu_id(), regs)) {
        stop_look_again(regs);
        return;
    }
    stop_taken(arch_cpu_id());
    stop_enter(regs, ARCH_STOP_BREAK);
}

void arch_stop_cpu(unsigned cpu)
{
    rendezvous_ask(cpu, RENDEZVOUS_STOP);
    reach_send(cpu);
}

/* --- The debugger's line. --- */

uint64_t stop_heard_at(void)
{
    return heard;
}

/* The debugger may detach meanwhile. */
void stop_hear(void)
{
    const struct arch_debugger *with = stop_debugger();
    enum arch_heard said = with ? with->listens() : ARCH_HEARD_NOTHING;
    unsigned lone;

    if (said != ARCH_HEARD_NOTHING)
        heard = arch_clock_ns();
    if (said != ARCH_HEARD_STOP)
        return;
    if (park_has_lone(&lone) && lone != arch_cpu_id())
        arch_stop_cpu(lone);
    else
        rendezvous_ask(arch_cpu_id(), RENDEZVOUS_STOP);
}

/* The parked boot CPU polls, as the line's interrupt waits until it resumes. */
static void stop_hear_parked(void)
{
    unsigned lone;

    if (percpu_self()->cpu == 0 && park_has_lone(&lone) && !arch_stop_is_due(lone))
        stop_hear();
}

void arch_debugger_attach(const struct arch_debugger *with)
{
    static const struct debugreg_stop stops = {stop_fired, stop_step_finish, stop_stepped,
                                               stop_passed};

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        stop_taken(cpu);
    __atomic_store_n(&debugger, with, __ATOMIC_RELAXED);
    debugreg_set_stop(with ? &stops : NULL);
    rendezvous_set_stop(with ? stop_asked : NULL);
    rendezvous_set_meanwhile(with ? stop_hear_parked : NULL);
    stop_entries_attach(with ? stop_late : NULL);
}

void arch_stop_dead(struct regs *regs)
{
    struct arch_resume resume = {.all = true};
    unsigned cpu = arch_cpu_id();

    if (!debugger || rendezvous_reasons(cpu) & RENDEZVOUS_STOP)
        return;
    rendezvous_enter_stop(regs);
    stop_cancel_steps();
    debugger->stopped(cpu, ARCH_STOP_DEAD, ARCH_NO_CPU, &resume);
}

/* --- A call in the stopped context. --- */

/* For the function's calls and interrupts, as an interrupt and a tick take up to half of it. */
#define DIVERT_ROOM 4096

/*
 * The diverted CPU begins here, and calls the function in rdi as if from the place in rax. Not
 * before: if the CPU has stopped in an interrupt, its frame is where the return address will be.
 */
extern const char stop_diverted[];

__asm__(".pushsection .text\n\t"
        ".type stop_diverted, @function\n"
        "stop_diverted:\n\t"
        ".cfi_startproc\n\t"
        ".cfi_undefined rip\n\t"
        "pushq %rax\n\t"
        "jmp *%rdi\n\t"
        ".cfi_endproc\n\t"
        ".size stop_diverted, . - stop_diverted\n\t"
        ".popsection");

bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept)
{
    struct regs *regs = arch_stopped_regs(cpu);
    const struct arch_stack *stack;

    if (!regs || regs_user_mode(regs)) /* a program's stack pointer may be anything */
        return false;
    stack = arch_stack_find(regs->sp);
    if (!stack || regs->sp < stack->low + DIVERT_ROOM || !(regs->flags & FLAGS_INTERRUPT) ||
        percpu[cpu].interrupt_depth > 0)
        return false;
    *kept = *regs;
    regs->ax = regs->ip;
    regs->di = (uintptr_t)function;
    regs->ip = (uintptr_t)stop_diverted;
    regs->sp &= ~(uintptr_t)15;
    regs->flags &= ~(FLAGS_TRAP | FLAGS_DIRECTION | FLAGS_RESUME);
    return true;
}

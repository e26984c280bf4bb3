/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops for a debugger: who comes in, how the others are made to stand still, and how all go on.
 * docs/gdb-stub.md has the design. Runs on the page that the trap came in by, interrupts and
 * watches off; nothing in here may trap. arch_debugger_attach, arch_stop_here: task context.
 */
#include "arch/x86_64/debug/stop.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "arch/unwind.h"
#include "arch/x86_64/cpu/apic.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/cpu/park.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/cpu/stand.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/nmi.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"

#define INT3           0xcc
#define LINGER_NS      1000000000ull /* an NMI of the debugger's line may come so late */
#define FETCH_OF_THERE 0x10u         /* "Page-Fault Exception": an instruction was fetched */

/* All of these change with all other CPUs parked; the boot CPU may read the first even then. */
static const struct arch_debugger *debugger;
static struct nmi_clock clock; /* the NMI clock, without the debugger's question */
static trap_handler *page_fault_before;
/* [boot CPU; any in a stop] arch_clock_ns: when the debugger's line may last have raised an NMI */
static uint64_t heard;

/* Where a page fault that was a breakpoint's leads. [the CPU that stops] */
static struct {
    uintptr_t ip;
    uint64_t flags;
    enum arch_stop why;
} landed[ARCH_CPUS_MAX];

extern const char stop_landing[]; /* a breakpoint instruction; below */

/* Lets the others go on as is said, and waits where this one is not to. */
static void stop_resume(unsigned cpu, struct regs *regs, const struct arch_resume *resume)
{
    heard = arch_clock_ns();
    stand_leave_stop();
    if (resume->all)
        park_end_stop();
    else if (resume->only != cpu)
        park_pass_on(resume->only, regs);
}

/* What was stepped and has not come to its end: the debugger shall see it as it was. */
static void stop_cancel_steps(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_stopped_regs(cpu))
            stop_step_cancel(cpu, arch_stopped_regs(cpu));
}

/*
 * True if there was a stop. A CPU whose reason has gone while it waited for its turn goes on: a
 * breakpoint that is no more, or the debugger has moved it.
 */
static void stop_enter(struct regs *regs, enum arch_stop why)
{
    unsigned cpu = arch_cpu_id(), absent = ARCH_NO_CPU;
    struct arch_resume resume;
    uintptr_t ip = regs->ip;
    bool alone = park_is_held(); /* the others stand still because of an earlier stop */

    if (park_for_stop(regs, &absent))
        absent = ARCH_NO_CPU;
    if (!debugger || ip != regs->ip || (why == ARCH_STOP_HIT && !debugger->wants(cpu))) {
        if (!alone)
            park_end_stop();
        return;
    }
    stand_enter_stop(regs);
    stop_cancel_steps();
    for (;;) {
        resume = (struct arch_resume){.all = true, .only = ARCH_NO_CPU};
        debugger->stopped(cpu, why, absent, &resume);
        if (!resume.step || stop_step_prepare(resume.only, arch_stopped_regs(resume.only)))
            break;
        why = ARCH_STOP_STEPPED;
    }
    stop_resume(cpu, regs, &resume);
}

/* Its own breakpoint shall not hit again at once; another one's, where it was moved to, shall. */
static _Noreturn void stop_leave(struct regs *regs, uintptr_t ip, bool at_breakpoint)
{
    if (regs->ip == ip && at_breakpoint)
        regs->flags |= FLAGS_RESUME;
    else if (regs->ip != ip)
        regs->flags &= ~FLAGS_RESUME;
    if (regs->flags & FLAGS_TRAP)
        debugreg_step(arch_cpu_id());
    else
        debugreg_step_over(arch_cpu_id());
    watch_return(regs);
}

bool arch_stop_is_due(unsigned cpu)
{
    return stand_is_asked(cpu, STAND_STOP);
}

static void stop_taken(unsigned cpu)
{
    stand_ask_no_more(cpu, STAND_STOP);
}

/*
 * Where a trap ends in which this CPU has been asked to stop. The debugger's step asks at its end,
 * and so do the end of a change and of a text for the debugger.
 */
static void stop_late(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    uintptr_t ip = regs->ip;

    if (arch_park_is_changing() || !debugger->may_stop(cpu) || stop_step_is_under_way(cpu))
        return;
    stop_taken(cpu);
    stop_enter(regs, ARCH_STOP_BREAK);
    stop_leave(regs, ip, false);
}

/* At the end of a debug trap of the kernel's that is no hit, and no step of the debugger's. */
static void stop_passed(struct regs *regs)
{
    if (arch_stop_is_due(arch_cpu_id()))
        stop_late(regs);
}

/* --- Debug traps: in place of the arbiter's handler, and after steps. --- */

static void stop_fired(unsigned fired, struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    uintptr_t ip = regs->ip;
    bool hit;

    debugreg_watch_as_ever(fired, regs);
    hit = debugger->wants(cpu);
    if (!hit && !arch_stop_is_due(cpu))
        return;
    if (arch_park_is_changing() || !debugger->may_stop(cpu)) { /* as soon as that is over */
        arch_stop_cpu(cpu);
        return;
    }
    stop_taken(cpu);
    stop_enter(regs, hit ? ARCH_STOP_HIT : ARCH_STOP_BREAK);
    stop_leave(regs, ip, debugreg_is_fault(fired));
}

/* Interrupts are off meanwhile, so who was to stop in the middle of this is not asked again. */
static void stop_stepped(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    bool due = arch_stop_is_due(cpu);
    uintptr_t ip = regs->ip;

    if (debugger && !debugger->may_stop(cpu) && stop_step_prepare(cpu, regs))
        stop_leave(regs, ip, false);
    stop_taken(cpu);
    stop_enter(regs, due ? ARCH_STOP_BREAK : ARCH_STOP_STEPPED);
    stop_leave(regs, ip, false);
}

/* --- Breakpoint instructions. --- */

/* The one at stop_landing stands for the fault, or the interrupt, that led there. */
static bool stop_landed(unsigned cpu, struct regs *regs, enum arch_stop *why)
{
    if (regs->ip - 1 != (uintptr_t)stop_landing)
        return false;
    regs->ip = landed[cpu].ip;
    regs->flags = landed[cpu].flags;
    *why = landed[cpu].why;
    return true;
}

/* The trap returns to the landing. */
static void stop_land(struct regs *regs, enum arch_stop why)
{
    unsigned cpu = arch_cpu_id();

    landed[cpu].ip = regs->ip;
    landed[cpu].flags = regs->flags;
    landed[cpu].why = why;
    regs->ip = (uintptr_t)stop_landing;
    regs->flags &= ~(FLAGS_INTERRUPT | FLAGS_TRAP);
}

/* A program's frame returns to ring 3, where the landing cannot be: its CPU stops right here. */
void arch_stop_interrupted(struct regs *regs)
{
    if (regs_user_mode(regs))
        arch_stop_here();
    else
        stop_land(regs, ARCH_STOP_BREAK);
}

/* Taken away by another CPU between its run and here: what was under it runs. */
static bool is_gone(uintptr_t address)
{
    uint8_t byte;

    return arch_debug_read(address, &byte, 1) == 1 && byte != INT3;
}

static void stop_break(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    enum arch_stop why = ARCH_STOP_HIT;
    uintptr_t ip;

    if (percpu_self()->watch_depth > 1)
        trap_fatal(regs);
    if (!stop_landed(cpu, regs, &why)) {
        if (debugger->owns(cpu, regs->ip - ARCH_BREAKPOINT_SIZE)) {
            regs->ip -= ARCH_BREAKPOINT_SIZE;
        } else if (is_gone(regs->ip - ARCH_BREAKPOINT_SIZE)) {
            regs->ip -= ARCH_BREAKPOINT_SIZE;
            watch_return(regs);
        } else {
            why = ARCH_STOP_HERE;
        }
    }
    ip = regs->ip;
    stop_enter(regs, why);
    stop_leave(regs, ip, why == ARCH_STOP_HIT);
}

__asm__(".pushsection .text\n\t"
        ".type stop_landing, @function\n"
        "stop_landing:\n\t"
        ".cfi_startproc\n\t"
        ".cfi_undefined rip\n\t"
        "int3\n\t"
        "ud2\n\t"
        ".cfi_endproc\n\t"
        ".size stop_landing, . - stop_landing\n\t"
        ".popsection");

void arch_stop_here(void)
{
    __asm__ volatile("int3" : : : "memory");
}

/* A program's instruction has not run: the step ends where the kernel sees to that. */
static void stop_program_trapped(struct regs *regs)
{
    if (stop_step_cancel(arch_cpu_id(), regs))
        arch_stop_here();
}

/*
 * gdb's `call` returns to a breakpoint on the stack, which may not be executed. The frame of the
 * fault is on that stack: it goes, and the landing's breakpoint has a page of its own.
 */
static void stop_page_fault(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();

    if (regs->error & FETCH_OF_THERE && debugger && debugger->owns(cpu, regs->ip)) {
        stop_land(regs, ARCH_STOP_HIT);
    } else if (page_fault_before) {
        page_fault_before(regs);
    } else {
        trap_fatal(regs);
    }
}

/* --- NMIs. --- */

static void stop_asked(struct regs *regs)
{
    if (!debugger)
        return;
    if (!park_may_stop(regs)) {
        stop_look_again(regs);
        return;
    }
    stop_taken(arch_cpu_id());
    stop_enter(regs, ARCH_STOP_BREAK);
}

void arch_stop_cpu(unsigned cpu)
{
    stand_ask(cpu, STAND_STOP);
    if (apic_registers())
        nmi_send(cpu);
}

/*
 * To stop is for this CPU, or for the one that runs while this one and all others stand still. It
 * may stop meanwhile, and the debugger leave.
 */
static void stop_hear(void)
{
    const struct arch_debugger *with = __atomic_load_n(&debugger, __ATOMIC_RELAXED);
    enum arch_heard said = with ? with->listens() : ARCH_HEARD_NOTHING;
    unsigned lone;

    if (said != ARCH_HEARD_NOTHING)
        heard = arch_clock_ns();
    if (said != ARCH_HEARD_STOP)
        return;
    if (park_has_lone(&lone) && lone != arch_cpu_id())
        arch_stop_cpu(lone);
    else
        stand_ask(arch_cpu_id(), STAND_STOP);
}

/* Before the clock is asked whether the NMI was its. */
static bool stop_listens(void)
{
    stop_hear();
    return clock.came && clock.came();
}

/* In a parked CPU: where it is the boot CPU, the line's NMI has to wait until it goes on. */
static void stop_hear_parked(void)
{
    unsigned lone;

    if (percpu_self()->cpu == 0 && park_has_lone(&lone) && !arch_stop_is_due(lone))
        stop_hear();
}

/* One that nobody explains: of the line, whose bytes an NMI before it has taken. */
static void stop_unexplained(struct regs *regs)
{
    if (percpu_self()->cpu != 0 || arch_clock_ns() - heard > LINGER_NS)
        trap_fatal(regs);
}

void arch_debugger_attach(const struct arch_debugger *with)
{
    static const struct debugreg_stop stops = {stop_fired, stop_step_finish, stop_stepped,
                                               stop_passed};
    struct nmi_clock listening = {stop_listens, clock.serve};

    if (with && !debugger) {
        clock = nmi_clock_now();
        listening.serve = clock.serve;
        trap_get_handler(VECTOR_PAGE_FAULT, &page_fault_before);
    }
    if (!with && debugger) /* one of the line's may be on its way */
        nmi_clock_lingers();
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        stop_taken(cpu); /* what the debugger before wanted */
    __atomic_store_n(&debugger, with, __ATOMIC_RELAXED);
    debugreg_set_stop(with ? &stops : NULL);
    nmi_set_clock(with ? &listening : &clock);
    stand_set_stop(with ? stop_asked : NULL);
    trap_set_late(with ? stop_late : NULL);
    stand_set_meanwhile(with ? stop_hear_parked : NULL);
    trap_set_handler(VECTOR_BREAKPOINT, with ? stop_break : NULL);
    trap_set_handler(VECTOR_NMI, with ? stop_unexplained : NULL);
    trap_set_program_handler(with ? stop_program_trapped : NULL);
    trap_set_handler(VECTOR_PAGE_FAULT, with ? stop_page_fault : page_fault_before);
}

/* --- --- */

void arch_stop_dead(struct regs *regs)
{
    struct arch_resume resume = {.all = true};
    unsigned cpu = arch_cpu_id();

    if (!debugger || stand_reasons(cpu) & STAND_STOP)
        return;
    stand_enter_stop(regs);
    stop_cancel_steps();
    debugger->stopped(cpu, ARCH_STOP_DEAD, ARCH_NO_CPU, &resume);
}

#define DIVERT_ROOM 8192

bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept)
{
    struct regs *regs = arch_stopped_regs(cpu);
    const struct arch_stack *stack;
    uintptr_t sp;

    if (!regs || regs_user_mode(regs)) /* a program's stack pointer may be any number */
        return false;
    stack = arch_stack_find(regs->sp);
    if (!stack || regs->sp < stack->low + DIVERT_ROOM || !(regs->flags & FLAGS_INTERRUPT) ||
        percpu[cpu].interrupt_depth > 0)
        return false;
    *kept = *regs;
    sp = (regs->sp & ~(uintptr_t)15) - sizeof(uint64_t);
    *(uint64_t *)sp = regs->ip; /* a call's, so that chains go on */
    regs->sp = sp;
    regs->ip = (uintptr_t)function;
    regs->flags &= ~(FLAGS_TRAP | FLAGS_DIRECTION | FLAGS_RESUME);
    return true;
}

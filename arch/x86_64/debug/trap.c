/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug traps: reads DR6 once and calls handlers. On the #DB stack page, watches off. */
#include "arch/x86_64/entry/trap.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/program.h"
#include "arch/regs.h"
#include "arch/step.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/memory/sections.h"

static struct {
    arch_watch_handler *fired;      /* set at boot; replaced by debugreg_set_stop */
    arch_watch_handler *arbiter;    /* `fired` without a debugger; set at boot */
    arch_step_handler *stepped;     /* set by code that steps, with interrupts off */
    arch_step_handler *resumed;     /* likewise */
    struct arch_user_steppers user; /* set at boot */
    struct debugreg_stop stop;      /* all NULL: no debugger; changed with all other CPUs parked */
    uint64_t spurious;              /* traps of disarmed registers, all CPUs; atomic add */
} traps;

static bool looks[ARCH_CPUS_MAX]; /* arch_user_look was called. [owning CPU] */

void arch_watch_set_handler(arch_watch_handler *handler)
{
    debugreg_init();
    traps.fired = traps.arbiter = handler;
}

uint64_t arch_watch_spurious(void)
{
    return traps.spurious;
}

void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed)
{
    traps.stepped = stepped;
    traps.resumed = resumed;
}

void arch_user_step_set_handlers(const struct arch_user_steppers *with)
{
    traps.user = *with;
}

void arch_user_look(void)
{
    looks[arch_cpu_id()] = true;
}

void debugreg_set_stop(const struct debugreg_stop *with)
{
    traps.stop = with ? *with : (struct debugreg_stop){NULL, NULL, NULL, NULL};
    traps.fired = with ? with->fired : traps.arbiter;
}

void debugreg_watch_fired(unsigned fired, struct regs *regs)
{
    if (traps.arbiter)
        traps.arbiter(fired, regs);
}

arch_watch_handler *debugreg_exchange_fired(arch_watch_handler *handler)
{
    arch_watch_handler *before = traps.fired;

    traps.fired = handler;
    return before;
}

void debug_resume(struct regs *regs)
{
    if (traps.resumed)
        traps.resumed(regs);
}

void debug_leave(struct regs *regs)
{
    percpu_self()->program_steps = false; /* arch_user_step_begin sets it again */
    if (traps.user.leave)
        traps.user.leave(regs);
}

bool debug_program_stepped(struct regs *regs)
{
    return traps.user.stepped && traps.user.stepped(regs);
}

static void debug_passed(struct regs *regs)
{
    if (traps.stop.passed && !regs_user_mode(regs))
        traps.stop.passed(regs);
}

/*
 * RF lets the instruction pass once (Intel SDM vol. 3, "Instruction-Breakpoint Exception
 * Condition").
 */
static inline void debug_hit(unsigned fired, struct regs *regs)
{
    traps.fired(fired, regs);
    if (fired & debugreg.executes) /* after the handler, which records the program's flags */
        regs->flags |= FLAGS_RESUME;
}

/*
 * Returns false if this was no step of the kernel or a debugger. Out of line, so that hits pay
 * nothing for it.
 */
UNSEEN_TEXT __attribute__((noinline)) static bool debug_stepped(unsigned fired, struct regs *regs)
{
    bool stops = traps.stop.stepped && traps.stop.stepped(regs, &fired);
    bool steps;

    debugreg_step_over(arch_cpu_id());
    if (regs_user_mode(regs)) {
        steps = debug_program_stepped(regs);
    } else {
        steps = traps.stepped;
        if (steps)
            traps.stepped(regs);
    }
    if (!stops && !steps)
        return false;
    if (fired && traps.fired)
        traps.fired(fired, regs);
    if (fired & debugreg.executes)
        regs->flags |= FLAGS_RESUME;
    if (stops)
        traps.stop.enter(regs);
    else
        debug_passed(regs);
    return true;
}

unsigned debugreg_reachable(unsigned fired)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (!arch_of_programs(debugreg.watches[i].address))
            fired &= ~(1u << i);
    return fired;
}

/*
 * QEMU reports a step over a watched access in two traps, the second before the handler of the
 * first runs: it overwrites the first frame, and the interrupted ip is lost. The GS base that the
 * entry found (watch_entry) shows whether a program was interrupted. If a program was interrupted,
 * it is killed; if the kernel was, nothing can be resumed and it panics.
 */
static void debug_find_program(struct regs *regs)
{
    if (regs->ip != (uintptr_t)trap_stubs + VECTOR_DEBUG * TRAP_STUB_SIZE)
        return;
    if (!regs->error)
        trap_fatal(regs);
    *regs = (struct regs){.cs = USER_CODE_SELECTOR,
                          .ss = USER_DATA_SELECTOR,
                          .flags = FLAGS_FIXED | FLAGS_INTERRUPT,
                          .vector = VECTOR_DEBUG,
                          .error = regs->error}; /* which GS was active (watch_entry) */
}

/* Turns on watches that a step had off; moves the frame to where program traps are handled. */
static struct regs *debug_land(struct regs *regs)
{
    debugreg_step_over(arch_cpu_id());
    return trap_land(regs);
}

/* Called after a program's hit, in which a handler may have called arch_user_look. */
UNSEEN_TEXT static struct regs *debug_served(struct regs *regs)
{
    bool *look = &looks[arch_cpu_id()];

    if (!*look)
        return NULL;
    *look = false;
    if (!regs_user_mode(regs))
        return NULL;
    regs->vector = REGS_SERVED;
    return debug_land(regs);
}

/* A trap of a program, or one at the kernel's entry (docs/programs.md). */
UNSEEN_TEXT __attribute__((noinline)) static struct regs *
debug_trap_at_border(struct regs *regs, uint64_t dr6, unsigned fired)
{
    unsigned told = fired;

    debug_find_program(regs);
    if (regs_user_mode(regs))
        told = debugreg_reachable(fired);
    if (dr6 & DR6_BS && debug_stepped(told, regs))
        return debug_served(regs);
    if (told)
        traps.fired(told, regs);
    if (fired & debugreg.executes) /* with or without a handler */
        regs->flags |= FLAGS_RESUME;
    /* A program's own TF, or `int1`, which DR6 does not report. */
    if (regs_user_mode(regs) && (dr6 & DR6_BS || !(dr6 & DR6_FIRED)))
        return debug_land(regs);
    if (!told)
        __atomic_fetch_add(&traps.spurious, 1, __ATOMIC_RELAXED);
    return debug_served(regs);
}

/* A step, or a trap without an armed register. Out of line, so that hits pay nothing for it. */
UNSEEN_TEXT __attribute__((noinline)) static void debug_trap_other(struct regs *regs, uint64_t dr6,
                                                                   unsigned fired)
{
    if (dr6 & DR6_BS && debug_stepped(fired, regs))
        return;
    if (fired)
        debug_hit(fired, regs);
    if (fired)
        return;
    if (!(dr6 & DR6_FIRED) || dr6 & (DR6_BS | DR6_BD))
        trap_fatal(regs);
    __atomic_fetch_add(&traps.spurious, 1, __ATOMIC_RELAXED);
    debug_passed(regs);
}

UNSEEN_TEXT void debug_trap_inside(struct regs *regs)
{
    uint64_t dr6 = cpu_read_dr6();
    unsigned fired = (unsigned)dr6 & percpu_live();

    cpu_write_dr6(DR6_CLEAR);
    if (__builtin_expect(fired == 0 || dr6 & DR6_BS, false))
        debug_trap_other(regs, dr6, fired);
    else
        debug_hit(fired, regs);
}

/*
 * A trap for TF or for a watched operand of `mov ss` comes one instruction later. If that
 * instruction enters the kernel, the trap is at the entry's first instruction (Intel SDM vol. 3,
 * "Masking Exceptions and Interrupts When Switching Stacks").
 */
UNSEEN_TEXT struct regs *debug_trap(struct regs *regs)
{
    uint64_t dr6;

    if (!regs_user_mode(regs) && !nowatch_text_has(regs->ip)) {
        debug_trap_inside(regs);
        return NULL;
    }
    dr6 = cpu_read_dr6();
    cpu_write_dr6(DR6_CLEAR);
    return debug_trap_at_border(regs, dr6, (unsigned)dr6 & percpu_live());
}

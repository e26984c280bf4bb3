/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces arch/x86_64/debug/stop.c in another kernel: stops at the end of debug traps, and in the
 * interrupt that polls the debugger's line. One CPU; interrupts and watches are off. May not trap.
 */
#include "arch/debugger.h"
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/program.h"
#include "arch/x86_64/cpu/check.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/debug/stop.h"

/* Written by the only CPU, in traps and with interrupts off. */
static struct {
    const struct arch_debugger *debugger; /* NULL: none is attached */
    bool pending;                         /* the current trap ends in a stop, ... */
    enum arch_stop why;                   /* ... for this reason */
    bool due;  /* a stop was requested; it follows when the line is polled */
    bool here; /* arch_stop_here is about to trap */
} stops;

bool arch_embed_is_debugged(void)
{
    return stops.debugger;
}

/*
 * Clears RF if the debugger moved ip, so that a breakpoint at the new ip hits. Also reports a stop
 * that was requested during a step, when the line is not polled.
 */
static void stop(struct regs *regs, enum arch_stop why)
{
    struct arch_resume resume;
    unsigned cpu = arch_cpu_id();
    uintptr_t ip = regs->ip;

    if (why == ARCH_STOP_STEPPED && stops.due && stops.debugger->asks(cpu))
        why = ARCH_STOP_BREAK;
    stops.due = false;
    percpu[cpu].stopped_regs = regs;
    stop_step_cancel(cpu, regs);
    for (;;) {
        resume = (struct arch_resume){.all = true, .only = ARCH_NO_CPU};
        stops.debugger->stopped(cpu, why, ARCH_NO_CPU, &resume);
        if (!resume.step || stop_step_prepare(cpu, regs))
            break;
        why = ARCH_STOP_STEPPED;
    }
    percpu[cpu].stopped_regs = NULL;
    if (regs->ip != ip)
        regs->flags &= ~FLAGS_RESUME;
}

static void end_in_stop(enum arch_stop why)
{
    stops.pending = true;
    stops.why = why;
}

/*
 * If a stepped instruction faults, the trap flag is in the fault handler's frame and must survive:
 * hits in that handler are reported when the step has ended.
 */
static void stop_fired(unsigned fired, struct regs *regs)
{
    unsigned cpu = arch_cpu_id();

    debugreg_watch_fired(fired, regs);
    if (!stops.debugger->wants(cpu))
        return;
    if (arch_park_is_changing() || (stop_step_is_under_way(cpu) && !(regs->flags & FLAGS_TRAP)))
        arch_stop_cpu(cpu);
    else
        end_in_stop(ARCH_STOP_HIT);
}

static bool stop_stepped(struct regs *regs, unsigned *fired)
{
    if (stops.here)
        regs->flags &= ~FLAGS_TRAP;
    else if (!stop_step_finish(regs, fired))
        return false;
    end_in_stop(stops.here ? ARCH_STOP_HERE : ARCH_STOP_STEPPED);
    stops.here = false;
    return true;
}

/* Steps and hits have already recorded whether they end in a stop. */
static void stop_nothing(struct regs *regs)
{
    (void)regs;
}

/* Called at the end of each debug trap, after all other handlers. */
static void stop_late(struct regs *regs)
{
    if (!stops.pending)
        return;
    stops.pending = false;
    stop(regs, stops.why);
}

void arch_debugger_attach(const struct arch_debugger *with)
{
    static const struct debugreg_stop handlers = {stop_fired, stop_stepped, stop_nothing,
                                                  stop_nothing};

    stops.due = false;
    stops.debugger = with;
    debugreg_set_stop(with ? &handlers : NULL);
    embed_debug_late = with ? stop_late : NULL;
}

/* The trap comes after the instruction that follows `popfq`. */
void arch_stop_here(void)
{
    uint64_t flags = arch_irq_save();

    stops.here = true;
    debugreg_step(arch_cpu_id());
    __asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tnop"
                     :
                     : "i"(FLAGS_TRAP)
                     : "memory", "cc");
    arch_irq_restore(flags);
}

void arch_stop_cpu(unsigned cpu)
{
    (void)cpu;
    stops.due = true;
}

bool arch_stop_is_due(unsigned cpu)
{
    (void)cpu;
    return stops.due;
}

/* The interrupt handler stops when it polls the line. */
void arch_stop_interrupted(struct regs *regs)
{
    (void)regs;
    stops.due = true;
}

static struct {
    struct regs *regs;
    enum arch_stop why;
} outside; /* arguments of stop_there */

static void stop_there(void)
{
    stop(outside.regs, outside.why);
}

/*
 * Runs stop_there on this CPU's stack of debug traps: what gdb asks for would take too much of a
 * kernel's stack. rbx keeps the kernel's stack pointer.
 */
static void stop_on_debug_stack(void)
{
    uintptr_t top = arch_embed_debug_stack(arch_cpu_id());

    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\tmovq %%rbx, %%rsp"
                     : "+&a"(top)
                     : "r"(stop_there)
                     : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/*
 * Stops outside of debug traps, with watches disarmed as in one. A fatal trap may have come in one,
 * whose stack is in use then.
 */
static void stop_outside(void *frame, enum arch_stop why)
{
    struct percpu *self = percpu_self();
    uint64_t flags = arch_irq_save();
    struct regs regs = arch_embed_regs(frame);
    bool inside = self->watch_depth++ > 0;

    cpu_write_dr7(DR7_OFF);
    outside.regs = &regs;
    outside.why = why;
    if (inside)
        stop_there();
    else
        stop_on_debug_stack();
    arch_embed_regs_return(&regs, frame);
    self->watch_depth--;
    if (self->watch_depth == 0)
        cpu_write_dr7(self->dr7);
    arch_irq_restore(flags);
}

static bool can_stop(const void *frame)
{
    struct regs regs;

    if (!stops.debugger || percpu_self()->stopped_regs)
        return false;
    regs = arch_embed_regs(frame);
    return !regs_user_mode(&regs);
}

bool arch_embed_listen(void *frame)
{
    unsigned cpu = arch_cpu_id();

    if (!can_stop(frame) || stop_step_is_under_way(cpu))
        return false;
    if (!stops.due && stops.debugger->listens() != ARCH_HEARD_STOP)
        return false;
    stop_outside(frame, stops.debugger->wants(cpu) ? ARCH_STOP_HIT : ARCH_STOP_BREAK);
    return true;
}

void arch_embed_stop_dead(void *frame)
{
    if (can_stop(frame))
        stop_outside(frame, ARCH_STOP_DEAD);
}

/* For core/gdb; the kernel calls arch_embed_stop_dead. */
void arch_stop_dead(struct regs *regs)
{
    stop(regs, ARCH_STOP_DEAD);
}

/* --- No program is ever stopped. --- */

struct arch_space *space_of_cpu(unsigned cpu)
{
    (void)cpu;
    return NULL;
}

bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length)
{
    (void)space, (void)address, (void)to, (void)length;
    return false;
}

bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length)
{
    (void)space, (void)address, (void)from, (void)length;
    return false;
}

void user_make_syscall(struct regs *regs, uintptr_t next)
{
    (void)regs, (void)next;
    arch_check(false);
}

void user_make_sysret(struct regs *regs)
{
    (void)regs;
    arch_check(false);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Called by trap_entry.asm: chooses a frame's stack and its handler. Interrupts off. Watches may be
 * armed in trap_land and trap_dispatch: a watched stack word may trap here, which is harmless.
 */
#include "arch/x86_64/entry/trap.h"
#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/site.h"
#include "arch/unwind.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/descriptors.h"
#include "arch/x86_64/memory/sections.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/entry/user.h"
#include "kernel/x86_64/fault.h"
#include "kernel/x86_64/thread.h"

/* Bytes of the interrupted stack that a handler needs; with less room it runs on the IST page. */
#define STACK_ROOM 2048

static trap_handler *handlers[VECTORS];   /* set with interrupts off */
static trap_handler *program_handler;     /* changed with all other CPUs parked */
static arch_fault_handler *fault_handler; /* set at boot */
static void (*interrupt_exit)(void);      /* set at boot */
static trap_handler *late_handler;        /* NULL: no debugger; changed with all CPUs parked */

trap_handler *trap_set_handler(unsigned vector, trap_handler *handler)
{
    trap_handler *before;

    arch_check(vector < VECTORS);
    before = handlers[vector];
    handlers[vector] = handler;
    return before;
}

void trap_set_program_handler(trap_handler *handler)
{
    program_handler = handler;
}

arch_fault_handler *arch_set_fault_handler(arch_fault_handler *handler)
{
    arch_fault_handler *before = fault_handler;

    fault_handler = handler;
    return before;
}

/* Disarms watches, so that a report cannot cause another. */
_Noreturn void trap_fatal(struct regs *regs)
{
    arch_watch_disarm();
    if (fault_handler)
        fault_handler(regs);
    arch_halt();
}

static struct regs *trap_move(const struct regs *frame, uintptr_t landing)
{
    *(struct regs *)landing = *frame;
    return (struct regs *)landing;
}

/*
 * Moves the frame from the IST page to the interrupted stack (a program's frame to the top of its
 * thread's empty stack) and returns its new address. If the stack is unknown or has no room (after
 * an overflow), the frame stays, so that the report uses mapped memory.
 */
struct regs *trap_land(struct regs *frame)
{
    const struct arch_stack *stack;
    uintptr_t landing;

    if (regs_user_mode(frame))
        return trap_move(frame, percpu_self()->kernel_stack - sizeof(struct regs));
    stack = arch_stack_find(frame->sp);
    landing = (frame->sp & ~(uintptr_t)15) - sizeof(struct regs);
    if (!stack || landing < stack->low + STACK_ROOM)
        return frame;
    return trap_move(frame, landing);
}

void arch_set_interrupt_exit(void (*leave)(void))
{
    interrupt_exit = leave;
}

bool arch_may_switch(void)
{
    const struct percpu *self = percpu_self();

    return self->interrupt_depth == 0 && self->watch_depth == 0;
}

/* True if the frame is on the IST page, which the next interrupt overwrites. */
static bool trap_is_on_ist(const struct regs *regs)
{
    const struct arch_stack *page = stack_of_cpu(percpu_self()->cpu, IST_INTERRUPT - 1);

    return (uintptr_t)regs >= page->low && (uintptr_t)regs < page->high;
}

/*
 * A gate runs two instructions with interrupts on (arch/x86_64/entry/gate.asm), where emulators
 * that check for interrupts after calls deliver many: a chain from there would show the tracer
 * instead of the traced code. The gate has at most pushed the flags, so the code is moved back to
 * the call, and the interrupt seems to have interrupted the caller. A watch may hit here, which is
 * harmless.
 */
#define CALL_SIZE 6 /* call [rip + d32], by a tracepoint's pointer */

/*
 * Returns the number of words that a gate has pushed at `ip`. If it is 2 or more, `ip` is not in
 * the two instructions.
 */
static uintptr_t words_pushed(uintptr_t ip)
{
    uintptr_t into = ip - (uintptr_t)arch_gate;

    return into < 2 ? into : ip - (uintptr_t)arch_gate_registers;
}

/* Leaves alone stepped contexts, whose step after the call is reported, and other forms of call. */
static void gate_back_out(struct regs *regs)
{
    uintptr_t pushed = words_pushed(regs->ip);
    const uintptr_t *slot;
    const uint8_t *call;

    if (__builtin_expect(pushed >= 2, true) || regs->flags & FLAGS_TRAP)
        return;
    slot = (const uintptr_t *)regs->sp + pushed;
    call = (const uint8_t *)*slot - CALL_SIZE;
    if (call[0] != 0xff || call[1] != 0x15)
        return;
    regs->ip = (uintptr_t)call;
    regs->sp = (uintptr_t)(slot + 1);
}

static void trap_interrupt(struct regs *regs, trap_handler *handler)
{
    struct percpu *self = percpu_self();

    gate_back_out(regs);
    self->interrupt_depth++;
    handler(regs);
    self->interrupt_depth--;
    if (interrupt_exit && arch_may_switch() && !trap_is_on_ist(regs))
        interrupt_exit();
}

/* All faults of programs go to one handler (user_trap), and so do traps of a program's own TF. */
void trap_dispatch(struct regs *regs)
{
    bool interrupt = regs->vector >= VECTOR_FIRST_INTERRUPT, user = regs_user_mode(regs);
    trap_handler *handler;

    if (regs->vector == REGS_SERVED) {
        user_trap(regs, false);
        return;
    }
    handler = handlers[regs->vector];
    if (!handler && (interrupt || !user))
        trap_fatal(regs);
    if (interrupt)
        trap_interrupt(regs, handler);
    else if (!user)
        handler(regs);
    else if (program_handler)
        program_handler(regs);
    if (user)
        user_trap(regs, !interrupt);
    else if (regs->flags & FLAGS_TRAP)
        debug_resume(regs);
}

/* A program's own #BP ends the program, with or without a debugger. */
struct regs *break_trap(struct regs *regs)
{
    trap_handler *handler = handlers[VECTOR_BREAKPOINT];

    if (regs_user_mode(regs)) {
        debugreg_step_over(arch_cpu_id());
        return trap_land(regs);
    }
    if (!handler)
        trap_fatal(regs);
    handler(regs);
    return NULL;
}

void trap_set_late(trap_handler *late)
{
    late_handler = late;
}

void trap_late(struct regs *regs)
{
    if (late_handler)
        late_handler(regs);
}

UNSEEN_TEXT struct regs *trap_frame_of(uintptr_t sp)
{
    static const unsigned char pages[] = {IST_DEBUG, IST_EXCEPTION};

    for (unsigned i = 0; i < sizeof(pages); i++) {
        const struct arch_stack *page = stack_of_cpu(arch_cpu_id(), pages[i] - 1u);

        if (sp > page->low && sp <= page->high)
            return (struct regs *)page->high - 1;
    }
    return NULL;
}

void trap_nmi(struct regs *regs)
{
    trap_handler *handler = handlers[regs->vector];

    if (!handler)
        trap_fatal(regs);
    handler(regs);
}

bool arch_is_trap_return(uintptr_t return_address)
{
    for (const uintptr_t *entry = trap_returns; entry < trap_returns_end; entry++)
        if (*entry == return_address)
            return true;
    return false;
}

_Noreturn void arch_halt(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

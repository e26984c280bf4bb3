/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h: interrupts, system calls, and the ways back. */
#include "outside/plugin/follow_cpu.h"

#define FRAME_ALIGNED 16 /* the CPU aligns rsp before it stores its frame */
#define NOWHERE       16 /* stands for an rsp that is not known */

void follow_interrupt(unsigned number, const struct follow_interrupt *interrupt)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct frame frame = {
        .next = interrupt->from, .kind = FRAME_INTERRUPT, .device = interrupt->device};
    struct stack_where from = {.rsp = interrupt->from, .space = cpu->space, .interrupted = true};
    uint64_t same = (interrupt->from & ~(uint64_t)(FRAME_ALIGNED - 1)) - FRAME_SIZE;

    if (interrupt->user)
        from.program = interrupt->space;
    if (follow_is_open(number) || !stack_is_there(cpu->stack, &from))
        follow_settle(cpu, &from, true);
    if (!cpu->stack)
        return;
    if (interrupt->user)
        follow_set_user(cpu->stack, interrupt->space);
    if (interrupt->place) /* rsp is exact: a call below it was left by a jump */
        follow_sp(number, interrupt->from);
    frame.context =
        follow_context_by(stack_context(cpu->stack), interrupt->site, WIRE_BY_INTERRUPT, 0);
    if (interrupt->entry)
        follow_begin_frame(&frame, cpu->stack->ran, interrupt->entry);
    if (interrupt->switched)
        frame.below = stack_link_to(cpu->stack);
    if (interrupt->place && interrupt->switched) {
        struct stack_where where = follow_where(cpu, interrupt->place + FRAME_SIZE);
        struct stack *to;

        follow_leave_stack(cpu, interrupt->from);
        to = stack_suspended_at(&where);
        to = follow_begin_again(to ? to : stack_around(&where), where.rsp);
        follow_enter_stack(cpu, to ? to : stack_new(&where), where.rsp);
        follow_doubted.switches++;
    }
    frame.place = interrupt->place ? interrupt->place : same;
    cpu->presumed = interrupt->place ? 0 : cpu->presumed + 1;
    cpu->open = interrupt->place ? SETTLED : INTERRUPTED;
    if (!cpu->stack)
        return;
    stack_grow(cpu->stack, frame.place);
    follow_push_above(cpu->stack, frame, frame.place);
}

unsigned follow_handlers(unsigned number)
{
    const struct stack *stack = follow_cpus[number].stack;
    unsigned count = 0;

    for (unsigned i = 0; stack && i < stack->depth; i++)
        count += stack->frames[i].device;
    return count;
}

/*
 * Ends the interrupt whose frame is at `place`, or near it if the handler has moved it, and returns
 * its frame; NULL: none. `to`: rsp after it, which is that of the interrupted code if the frame was
 * moved; 0: not known. Then a frame elsewhere on the interrupted stack may be a thread's, to which
 * the handler switches: what rsp is next decides.
 */
static struct frame *end_interrupt(struct follow_cpu *cpu, uint64_t place, uint64_t to)
{
    struct stack *stack = cpu->stack;
    struct frame *frame;

    for (unsigned i = stack->depth; i > 0; i--) {
        frame = &stack->frames[i - 1];
        if (frame->place > place + NEAR)
            break;
        if (frame->kind == FRAME_INTERRUPT && frame->place + NEAR >= place &&
            (frame->place == place || to == frame->next ||
             (to == 0 && (frame->below.stack || (frame->place <= place + COPY_MOST &&
                                                 frame->place + COPY_MOST >= place))))) {
            stack->depth = i - 1;
            return frame;
        }
    }
    stack_pop_below(stack, place);
    return NULL;
}

/* True if the CPU has returned to the stack below, with the rsp that it was left with. */
static bool return_below(struct follow_cpu *cpu, struct stack *below, uint64_t place,
                         const struct stack_where *to)
{
    if (!below || below->on || below->low != to->rsp || !stack_is_there(below, to))
        return false;
    follow_leave_stack(cpu, place + FRAME_SIZE);
    follow_enter_stack(cpu, below, to->rsp);
    follow_doubted.switches++;
    return true;
}

void follow_interrupt_return(unsigned number, uint64_t place, uint64_t to, bool user)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct stack_where where = follow_where(cpu, to);
    struct frame *frame;
    const struct frame *top;

    if (follow_is_open(number))
        follow_place(number, place, 0, true);
    if (!cpu->stack)
        return;
    frame = end_interrupt(cpu, place, to);
    if (frame && !frame->below.stack && frame->next == to)
        return; /* whatever was left here before is gone */
    top = stack_top(cpu->stack);
    if (!frame && user && top && top->kind == FRAME_SYSCALL)
        cpu->stack->depth--;
    if (!frame || !return_below(cpu, stack_linked(&frame->below), place, &where))
        follow_change(cpu, place + FRAME_SIZE, &where, 0, false);
    if (cpu->stack && user)
        follow_set_user(cpu->stack, cpu->space);
}

uint64_t follow_interrupt_return_near(unsigned number, uint64_t place)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct stack_where where;
    struct stack *below;
    struct frame *frame;

    if (follow_is_open(number))
        follow_place(number, place, 0, true);
    if (!cpu->stack)
        return place + FRAME_SIZE;
    frame = end_interrupt(cpu, place, 0);
    follow_load_unknown(number, place + FRAME_SIZE, false);
    if (!frame)
        return place + FRAME_SIZE;
    where = follow_where(cpu, frame->next);
    below = stack_linked(&frame->below);
    if (!below || return_below(cpu, below, place, &where))
        cpu->open = RETURNED;
    if (!below)
        stack_pop_below(cpu->stack, where.rsp);
    return where.rsp;
}

/*
 * A program that has not touched its stack since `sysret` makes a system call: where the stack lies
 * is not known. It is likely the one that the last system call came from, but its frames are not.
 * Returns what stands for its rsp.
 */
static uint64_t enter_unknown(struct follow_cpu *cpu)
{
    static const struct stack_where nowhere = {.rsp = NOWHERE};
    struct stack *to = stack_linked(&cpu->expected);

    follow_leave_stack(cpu, cpu->from);
    cpu->open = SETTLED;
    follow_doubted.switches++;
    if (to && !to->on) {
        follow_enter_stack(cpu, to, to->low);
        follow_doubted.doubtful += to->depth > 0;
        return to->low;
    }
    follow_doubted.doubtful++;
    to = stack_new(&nowhere);
    follow_enter_stack(cpu, to, NOWHERE);
    if (to)
        follow_forget(to);
    return NOWHERE;
}

uint64_t follow_syscall(unsigned number, uint64_t site, uint64_t rsp)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct frame frame = {.kind = FRAME_SYSCALL};
    bool likely = cpu->open == LOADED;
    uint32_t outer;

    if (likely)
        rsp = enter_unknown(cpu);
    else if (follow_is_open(number))
        follow_place(number, rsp, 0, true);
    if (!cpu->stack)
        return rsp;
    follow_set_user(cpu->stack, cpu->space);
    outer = likely && cpu->stack->depth > 0 ? CONTEXT_UNKNOWN : stack_context(cpu->stack);
    frame.context = follow_context_by(outer, site, WIRE_BY_SYSCALL, 0);
    follow_push_above(cpu->stack, frame, rsp - 1);
    return rsp;
}

void follow_sysret(unsigned number)
{
    struct follow_cpu *cpu = &follow_cpus[number];

    for (unsigned i = cpu->stack ? cpu->stack->depth : 0; i > 0; i--) {
        const struct frame *frame = &cpu->stack->frames[i - 1];

        if (frame->kind != FRAME_SYSCALL)
            continue;
        if (cpu->open == LOADED)
            cpu->expected = frame->below;
        cpu->stack->depth = i - 1;
        return;
    }
}

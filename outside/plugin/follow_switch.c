/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h: which stack rsp is on, and whose it is. */
#include <assert.h>

#include "outside/plugin/follow_cpu.h"
#include "outside/plugin/numbered.h"

#define ROOM        65536 /* of locals: an unknown load so far below may be an array */
#define SLACK       256   /* pushes before a load that may have been unseen */
#define SPACES_MOST 4096

struct follow_cpu follow_cpus[FOLLOW_CPUS];
struct follow_doubts follow_doubted;

struct follow_doubts follow_doubts(void)
{
    return follow_doubted;
}

/* --- The numbers of threads and of address spaces --- */

static struct numbered threads; /* struct follow_thread */
static uint32_t thread_count;
static uint64_t spaces[SPACES_MOST]; /* cr3, [number - 1] */
static uint32_t space_count;

struct follow_thread *follow_thread_info(uint32_t number)
{
    return numbered_at(&threads, number, sizeof(struct follow_thread));
}

/* Address spaces are numbered from 1, in the order in which programs run in them. */
static uint32_t space_number(uint64_t space)
{
    uint32_t i = 0;

    while (i < space_count && spaces[i] != space)
        i++;
    if (i == SPACES_MOST)
        return 0;
    if (i == space_count)
        spaces[space_count++] = space;
    return i + 1;
}

/* Returns the number of the thread on this stack, which has one from now on. */
static uint32_t follow_thread_on(struct stack *stack)
{
    if (__builtin_expect(!stack->thread, 0))
        stack->thread = ++thread_count;
    return stack->thread;
}

void follow_set_user(struct stack *stack, uint64_t space)
{
    struct follow_thread *thread =
        stack->user || !space ? NULL : follow_thread_info(follow_thread_on(stack));

    stack->program = space;
    if (!thread)
        return;
    stack->user = true;
    thread->space = space_number(space);
}

uint32_t follow_thread(unsigned number)
{
    const struct follow_cpu *cpu = &follow_cpus[number];

    return cpu->stack && cpu->open != LOADED ? follow_thread_on(cpu->stack) : 0;
}

uint64_t follow_space_of(unsigned number)
{
    return follow_cpus[number].space;
}

/* --- Stacks --- */

void follow_enter_stack(struct follow_cpu *cpu, struct stack *stack, uint64_t rsp)
{
    assert(!cpu->stack);
    cpu->stack = stack;
    if (!stack)
        return;
    stack_enter(stack, rsp);
    stack->space = cpu->space;
}

void follow_leave_stack(struct follow_cpu *cpu, uint64_t rsp)
{
    if (cpu->stack)
        stack_leave(cpu->stack, rsp);
    cpu->stack = NULL;
}

struct stack *follow_begin_again(struct stack *stack, uint64_t rsp)
{
    if (stack && !stack_keeps_calls(stack, rsp))
        stack->thread = stack->function = 0;
    return stack;
}

/* The stack with its frame of a system call innermost is left before any call: see follow.h. */
static bool take_syscall(struct stack *stack, struct frame *frame)
{
    struct frame *top = stack_top(stack);

    if (!top || top->kind != FRAME_SYSCALL || top->below.stack)
        return false;
    *frame = *top;
    frame->below = stack_link_to(stack);
    stack->depth--;
    return true;
}

void follow_push_above(struct stack *stack, struct frame frame, uint64_t place)
{
    struct stack *below = stack_linked(&frame.below);

    frame.place = place;
    stack_pop_below(stack, place + 1);
    if (below)
        stack->thread = follow_thread_on(below);
    stack_push(stack, &frame);
}

void follow_forget(struct stack *stack)
{
    struct frame unknown = {
        .place = stack->high, .context = CONTEXT_UNKNOWN, .kind = FRAME_UNKNOWN};

    stack->depth = 0;
    stack->thread = stack->function = 0;
    stack_push(stack, &unknown);
}

/* Whether a copy of the CPU's frame, with this rsp in it, lies above `from`. */
static enum memory has_copy(uint64_t from, uint64_t to, uint64_t rsp)
{
    enum memory found = MEMORY_DIFFERS;

    for (uint64_t at = from; at < to && at < from + COPY_MOST; at += WORD) {
        enum memory here = memory_compare(at, rsp);

        if (here == MEMORY_HOLDS)
            return here;
        if (here == MEMORY_UNKNOWN)
            found = here;
    }
    return found;
}

/*
 * What the CPU entered by the innermost frame continues on another stack, if that is entered at rsp
 * before any call there: it takes the frame along. A system call does; an interrupt with a copy of
 * the CPU's frame, otherwise it has begun a thread. A system call that loads the program's rsp has
 * ended.
 */
static void take_entry(struct stack *stack, struct stack *to, uint64_t rsp)
{
    struct frame *top = stack_top(stack);
    const struct stack *below = top ? stack_linked(&top->below) : NULL;
    enum memory copied = MEMORY_HOLDS;

    if (below == to && top->kind == FRAME_SYSCALL)
        stack->depth--;
    if (!below || below == to || (to->depth > 0 && to->frames[0].place > rsp))
        return;
    if (top->kind == FRAME_INTERRUPT)
        copied = has_copy(rsp, UINT64_MAX, top->next);
    if (copied == MEMORY_HOLDS) {
        follow_push_above(to, *top, rsp);
        stack->depth--;
    } else if (copied == MEMORY_UNKNOWN) {
        follow_forget(to);
        follow_doubted.doubtful++;
    }
}

/*
 * True if a handler has loaded rsp to continue just below the code that it interrupted, on that
 * stack: its frame moves there.
 */
static bool move_handler(struct follow_cpu *cpu, uint64_t from, const struct stack_where *where)
{
    struct frame *top = stack_top(cpu->stack), frame;
    struct stack *below = top && top->kind == FRAME_INTERRUPT ? stack_linked(&top->below) : NULL;
    enum memory copied;

    if (!below || below->on || where->rsp > below->low ||
        (where->rsp >= cpu->stack->floor && where->rsp <= cpu->stack->high) ||
        below->low - where->rsp > STACK_PAGE || !stack_is_there(below, where))
        return false;
    copied = has_copy(where->rsp, below->low, top->next);
    if (copied == MEMORY_DIFFERS)
        return false;
    frame = *top;
    frame.below = (struct stack_link){NULL, 0};
    if (copied == MEMORY_UNKNOWN) {
        frame.context = CONTEXT_UNKNOWN;
        follow_doubted.doubtful++;
    }
    cpu->stack->depth--;
    follow_leave_stack(cpu, from);
    follow_enter_stack(cpu, below, below->low);
    stack_grow(below, where->rsp);
    follow_push_above(below, frame, where->rsp);
    follow_doubted.switches++;
    return true;
}

void follow_change(struct follow_cpu *cpu, uint64_t from, const struct stack_where *where,
                   uint64_t slack, bool may_stay)
{
    struct stack *was = cpu->stack, *to = stack_suspended_at(where);
    struct frame frame;
    bool entered, doubtful = false;

    if (was && where->rsp == from && stack_is_there(was, where))
        return;
    if (!to && move_handler(cpu, from, where))
        return;
    if (!to && was && where->rsp + slack >= from && where->rsp <= was->high &&
        stack_is_there(was, where)) { /* an epilogue, or longjmp */
        stack_pop_below(was, where->rsp);
        return;
    }
    if (!to && (to = follow_begin_again(stack_around(where), where->rsp)) &&
        stack_keeps_calls(to, where->rsp))
        doubtful = !stack_continues_at(to, where->rsp);
    if (!to && slack && (to = stack_suspended_near(where, slack)))
        doubtful = to->depth > 0;
    if (!to) {
        to = stack_new(where);
        doubtful = may_stay && was && where->rsp < from && from - where->rsp <= ROOM;
    }
    entered = was && take_syscall(was, &frame);
    follow_doubted.switches++;
    follow_doubted.doubtful += doubtful;
    follow_leave_stack(cpu, from);
    follow_enter_stack(cpu, to, where->rsp);
    if (doubtful && to)
        follow_forget(to);
    if (entered && to)
        follow_push_above(to, frame, where->rsp);
    else if (to && was)
        take_entry(was, to, where->rsp);
}

/* After a load of cr3, rsp may be on another stack at the same address. */
__attribute__((noinline)) void follow_settle_space(struct follow_cpu *cpu)
{
    struct stack_where where = follow_where(cpu, cpu->moved_at);

    cpu->moved = false;
    if (!cpu->stack)
        return;
    if (stack_is_there(cpu->stack, &where)) {
        cpu->stack->space = cpu->space;
        return;
    }
    follow_change(cpu, cpu->moved_at, &where, 0, false);
}

/*
 * A handler's first access shows whether the CPU has changed stacks: its frames on top of the
 * interrupted stack then move.
 */
static void settle_interrupt(struct follow_cpu *cpu, const struct stack_where *where)
{
    struct stack *below = cpu->stack;
    unsigned first = below->depth - cpu->presumed;
    const struct frame *innermost = stack_top(below);
    struct frame frame;

    assert(cpu->presumed > 0 && cpu->presumed <= below->depth);
    frame = below->frames[first];
    if (frame.below.stack != below && where->rsp <= innermost->place &&
        innermost->place - where->rsp <= NEAR && stack_is_there(below, where))
        return;
    frame.below = stack_link_to(below);
    below->depth = first;
    follow_change(cpu, frame.next, where, SLACK, false);
    if (cpu->stack)
        follow_push_above(cpu->stack, frame, where->rsp);
}

/* After `sysret` the program continues on the stack that its system call came from. */
static bool settle_sysret(struct follow_cpu *cpu, const struct stack_where *where)
{
    struct stack *to = stack_linked(&cpu->expected);

    if (!to || to->on || where->rsp > to->high || where->rsp + NEAR < to->low ||
        !stack_is_there(to, where))
        return false;
    follow_leave_stack(cpu, cpu->from);
    follow_enter_stack(cpu, to, where->rsp < to->low ? to->low : where->rsp);
    follow_doubted.switches++;
    return true;
}

/* True if the current stack may be the one that rsp is on. */
static bool may_be_on(const struct follow_cpu *cpu, const struct stack_where *where)
{
    return cpu->stack && stack_is_there(cpu->stack, where) &&
           (cpu->open == SETTLED ||
            (where->rsp <= cpu->stack->high + NEAR && where->rsp + NEAR >= cpu->stack->floor));
}

void follow_settle(struct follow_cpu *cpu, const struct stack_where *where, bool reads)
{
    if (cpu->moved)
        follow_settle_space(cpu);
    switch (cpu->open) {
    case LOADED:
        if (!settle_sysret(cpu, where))
            follow_change(cpu, cpu->from, where, SLACK, cpu->computed && !reads);
        break;
    case INTERRUPTED:
        settle_interrupt(cpu, where);
        break;
    case SETTLED:
    case RETURNED:
        if (!may_be_on(cpu, where)) /* so it has never been on it */
            follow_change(cpu, cpu->stack ? cpu->stack->entered : where->rsp, where, SLACK, false);
        break;
    }
    cpu->open = SETTLED;
    cpu->presumed = 0;
    if (cpu->stack && where->physical) {
        cpu->stack->page = (where->rsp - 1) / STACK_PAGE;
        cpu->stack->physical = where->physical;
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h. */
#include "outside/plugin/follow.h"

#include <stdlib.h>

#include "outside/plugin/context.h"
#include "outside/plugin/stack.h"

#define WORD 8

static struct follow_cpu {
    struct stack *stack; /* the current stack; NULL: not known */
    bool loaded;         /* rsp was loaded: the next place determines the stack */
    bool presumed;       /* an interrupt has returned, to `stack` if the next place is on it */
    bool interrupted;    /* a handler has begun, but its first place is not known: */
    bool begun;          /* ... a block of its handler has run */
    uint32_t context;    /* ... its context */
    uint32_t upon;       /* ... context of the interrupted handler, if that has no place, or none */
    struct stack *below; /* ... the stack interrupted by the first such handler */
    uint64_t time;       /* as last passed to follow_time */
    struct follow_returned returned;
} cpus[FOLLOW_CPUS];

static uint64_t *outermost; /* [thread] */
static bool by_entry;       /* contexts are paths of functions */

bool follow_init(void)
{
    outermost = calloc(STACKS_MOST, sizeof(*outermost));
    return outermost && stack_init() && context_init();
}

static void forget(const struct stack *gone)
{
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        if (cpus[cpu].stack == gone)
            cpus[cpu].stack = NULL;
        if (cpus[cpu].below == gone)
            cpus[cpu].below = NULL;
    }
}

/* --- Which stack a place belongs to. --- */

/* The handler has used its first place, so its frame is known: just above that place. */
static void settle_interrupt(struct follow_cpu *cpu, uint64_t place)
{
    struct stack *stack = stack_of(place);
    struct frame frame = {.place = place + WORD,
                          .context = cpu->context,
                          .interrupt = true,
                          .below = cpu->below,
                          .upon = cpu->upon};

    cpu->interrupted = cpu->loaded = false;
    cpu->stack = stack;
    if (!stack)
        return;
    stack_widen(stack, place, forget);
    stack_pop_to(stack, place + WORD);
    stack_push(stack, &frame);
}

/* Moves the handler's frame if the handler has switched to the interrupted stack. */
static void move_interrupt(struct stack *from, struct stack *to, uint64_t place)
{
    struct frame *frame = stack_top(from);

    if (from == to || !frame || !frame->interrupt || frame->below != to)
        return;
    from->depth--;
    frame->place = place + WORD;
    stack_widen(to, place, forget);
    stack_pop_to(to, place + WORD);
    stack_push(to, frame);
}

static void settle(struct follow_cpu *cpu, uint64_t place)
{
    if (cpu->interrupted) {
        settle_interrupt(cpu, place);
        return;
    }
    if (cpu->presumed && cpu->stack && !stack_is_about(cpu->stack, place))
        cpu->loaded = true;
    cpu->presumed = false;
    if (cpu->loaded || !cpu->stack) {
        struct stack *stack = stack_of(place);

        if (stack)
            move_interrupt(cpu->stack, stack, place);
        cpu->stack = stack;
        cpu->loaded = false;
    }
}

/* --- What happens. --- */

/* If contexts are paths of functions, a context is made only once the callee's entry is known. */
static uint32_t context_by(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    return by_entry ? outer : context_of(outer, site, by, site_end);
}

void follow_by_entry(void)
{
    by_entry = true;
}

bool follow_begin(unsigned number, uint64_t ip)
{
    struct follow_cpu *cpu = &cpus[number];
    struct frame *top = cpu->loaded || cpu->interrupted ? NULL : stack_top(cpu->stack);

    if (cpu->interrupted && !cpu->begun) {
        cpu->begun = true;
        if (by_entry)
            cpu->context = context_of(cpu->context, ip, WIRE_BY_INTERRUPT, 0);
        return true;
    }
    if (!top || top->entry || top->interrupt)
        return false;
    top->entry = ip;
    top->began = cpu->stack->ran;
    if (by_entry)
        top->context = context_of(top->context, ip, WIRE_BY_ENTRY, 0);
    return true;
}

/* True if the next frame's slot still holds this call, which is usual because calls repeat. */
static bool is_again(const struct frame *last, uint32_t outer, uint64_t next)
{
    return last->next == next && last->outer == outer && last->context != CONTEXT_NONE &&
           !last->interrupt;
}

bool follow_calls_again(unsigned number, uint64_t place, uint64_t next)
{
    struct follow_cpu *cpu = &cpus[number];
    struct stack *stack = cpu->stack;
    struct frame *frame;

    if (cpu->loaded || cpu->presumed || cpu->interrupted || !stack || place < stack->low ||
        place > stack->high)
        return false;
    stack_pop_to(stack, place);
    if (stack->depth == 0 || stack->depth == stack->room)
        return false;
    frame = &stack->frames[stack->depth];
    if (!is_again(frame, stack_context(stack), next))
        return false;
    frame->place = place;
    frame->replaced = false;
    stack->depth++;
    return true;
}

/*
 * True if an interrupt was missed: when a handler is entered for the first time, right after an
 * indirect call or jump, it is mistaken for the target, and only the different stack reveals the
 * interrupt.
 */
static bool is_late_interrupt(const struct follow_cpu *cpu, uint64_t place)
{
    return cpu->stack && !cpu->loaded && !cpu->presumed && !cpu->interrupted &&
           !stack_reaches(cpu->stack, place);
}

void follow_call(unsigned number, uint64_t place, uint64_t site, unsigned site_end)
{
    struct follow_cpu *cpu = &cpus[number];
    struct frame frame = {.place = place, .next = site + site_end};
    struct stack *stack;

    if (is_late_interrupt(cpu, place))
        follow_interrupt(number, context_at(stack_context(cpu->stack))->site);
    settle(cpu, place);
    stack = cpu->stack;
    if (!stack)
        return;
    if (place < stack->low || place > stack->high)
        stack_widen(stack, place, forget);
    stack_pop_to(stack, place);
    if (stack->depth == 0 || !outermost[stack->thread]) /* an interrupt's frame may be below */
        outermost[stack->thread] = site;
    frame.outer = stack_context(stack);
    frame.context = context_by(frame.outer, site, WIRE_BY_CALL, site_end);
    stack_push(stack, &frame);
}

bool follow_return(unsigned number, uint64_t ip)
{
    struct follow_cpu *cpu = &cpus[number];
    struct stack *stack = cpu->stack;

    cpu->returned.entry = 0;
    if (cpu->loaded || cpu->interrupted || !stack)
        return true;
    if (stack->depth > 0 && stack->frames[stack->depth - 1].replaced) {
        stack->depth--;
        return true;
    }
    for (unsigned i = stack->depth; i > 0 && !stack->frames[i - 1].interrupt; i--)
        if (stack->frames[i - 1].next == ip) {
            const struct frame *frame = &stack->frames[i - 1];

            cpu->returned =
                (struct follow_returned){frame->entry, stack->ran - frame->began, frame->context};
            stack->depth = i - 1;
            return true;
        }
    cpu->loaded = cpu->presumed;
    cpu->presumed = false;
    return cpu->loaded;
}

bool follow_returns_to(unsigned number, uint64_t ip)
{
    struct follow_cpu *cpu = &cpus[number];
    struct stack *stack = cpu->stack;

    if (cpu->loaded || cpu->presumed || cpu->interrupted || !stack || stack->depth == 0 ||
        stack->frames[stack->depth - 1].replaced || stack->frames[stack->depth - 1].next != ip)
        return false;
    stack->depth--;
    return true;
}

const struct follow_returned *follow_returned(unsigned number)
{
    return &cpus[number].returned;
}

void follow_time(unsigned number, uint64_t time)
{
    struct follow_cpu *cpu = &cpus[number];

    if (cpu->stack)
        cpu->stack->ran += time - cpu->time;
    cpu->time = time;
}

uint64_t follow_next(unsigned number)
{
    const struct follow_cpu *cpu = &cpus[number];
    const struct stack *stack = cpu->stack;

    if (cpu->loaded || cpu->interrupted || !stack || stack->depth == 0)
        return 0;
    return stack->frames[stack->depth - 1].replaced ? 0 : stack->frames[stack->depth - 1].next;
}

void follow_replace(unsigned number, uint64_t place)
{
    struct follow_cpu *cpu = &cpus[number];
    struct frame *top = cpu->loaded || cpu->interrupted ? NULL : stack_top(cpu->stack);

    if (top && !top->interrupt && top->place == place)
        top->replaced = true;
}

void follow_load(unsigned number)
{
    cpus[number].loaded = true;
    cpus[number].presumed = false;
}

void follow_place(unsigned number, uint64_t place)
{
    struct follow_cpu *cpu = &cpus[number];

    if (!cpu->loaded && !cpu->interrupted)
        return;
    settle(cpu, place);
    if (cpu->stack)
        stack_pop_to(cpu->stack, place - 1);
}

void follow_interrupt(unsigned number, uint64_t site)
{
    struct follow_cpu *cpu = &cpus[number];
    uint32_t before = follow_context(number);

    cpu->context = context_by(before, site, WIRE_BY_INTERRUPT, 0);
    cpu->upon = cpu->interrupted ? before : CONTEXT_NONE;
    cpu->below = cpu->interrupted ? cpu->below : cpu->loaded ? NULL : cpu->stack;
    cpu->interrupted = true;
    cpu->begun = cpu->loaded = cpu->presumed = false;
}

uint64_t follow_interrupt_site(unsigned number)
{
    const struct follow_cpu *cpu = &cpus[number];
    const struct stack *stack = cpu->stack;

    if (cpu->interrupted)
        return context_at(cpu->context)->site;
    for (unsigned i = stack && !cpu->loaded ? stack->depth : 0; i > 0; i--)
        if (stack->frames[i - 1].interrupt)
            return context_at(stack->frames[i - 1].context)->site;
    return 0;
}

/* An interrupt ends, and the CPU returns to where it was. */
static void go_back(struct follow_cpu *cpu, struct stack *below, uint32_t upon)
{
    cpu->interrupted = cpu->begun = upon != CONTEXT_NONE;
    cpu->context = upon;
    cpu->upon = CONTEXT_NONE;
    cpu->stack = cpu->below = below;
    cpu->loaded = !below && !cpu->interrupted;
    cpu->presumed = below && !cpu->interrupted;
}

void follow_interrupt_return(unsigned number)
{
    struct follow_cpu *cpu = &cpus[number];
    struct stack *stack = cpu->stack;
    unsigned depth = stack ? stack->depth : 0;

    if (cpu->interrupted) { /* the handler has made no call */
        go_back(cpu, cpu->below, cpu->upon);
        return;
    }
    while (depth > 0 && !stack->frames[depth - 1].interrupt)
        depth--;
    if (cpu->loaded || depth == 0) { /* the interrupt was not seen */
        cpu->loaded = true;
        return;
    }
    stack->depth = depth - 1;
    go_back(cpu, stack->frames[stack->depth].below, stack->frames[stack->depth].upon);
}

void follow_border(unsigned number)
{
    cpus[number].loaded = true;
    cpus[number].presumed = cpus[number].interrupted = false;
}

uint32_t follow_context(unsigned number)
{
    const struct follow_cpu *cpu = &cpus[number];

    if (cpu->interrupted)
        return cpu->context;
    return cpu->loaded ? CONTEXT_NONE : stack_context(cpu->stack);
}

uint32_t follow_thread(unsigned number)
{
    const struct follow_cpu *cpu = &cpus[number];

    return cpu->stack && !cpu->loaded ? cpu->stack->thread : 0;
}

uint64_t follow_outermost(uint32_t thread)
{
    return outermost[thread];
}

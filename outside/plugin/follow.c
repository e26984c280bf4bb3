/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h: calls, returns and loads of rsp. */
#include "outside/plugin/follow.h"

#include "outside/plugin/follow_cpu.h"

/*
 * Contexts that a CPU's calls had before, so that most calls need no lock. `key`: the site, or the
 * callee's entry; 0: free.
 */
#define KNOWN_BITS 12
static struct known {
    uint64_t key;
    uint32_t outer, context;
} known[FOLLOW_CPUS][1u << KNOWN_BITS];

static bool by_entry; /* contexts are paths of functions */

bool follow_init(void)
{
    return stack_init() && context_init();
}

bool follow_is_open(unsigned number)
{
    return follow_cpus[number].open != SETTLED || follow_cpus[number].moved ||
           !follow_cpus[number].stack;
}

void follow_place(unsigned number, uint64_t rsp, uint64_t physical, bool reads)
{
    struct stack_where where = {
        .rsp = rsp, .space = follow_cpus[number].space, .physical = physical};

    follow_settle(&follow_cpus[number], &where, reads);
}

/* --- Calls and returns --- */

uint32_t follow_context_by(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    return by_entry ? outer : context_of(outer, site, by, site_end);
}

void follow_by_entry(void)
{
    by_entry = true;
}

void follow_begin_frame(struct frame *frame, uint64_t ran, uint64_t ip)
{
    frame->entry = ip;
    frame->began = ran;
    if (by_entry)
        frame->context =
            context_of(frame->context, ip,
                       frame->kind == FRAME_INTERRUPT ? WIRE_BY_INTERRUPT : WIRE_BY_ENTRY, 0);
}

bool follow_begin(unsigned number, uint64_t ip)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct frame *top = stack_top(cpu->stack);

    if (!top || top->entry || top->kind == FRAME_UNKNOWN)
        return false;
    follow_begin_frame(top, cpu->stack->ran, ip);
    return true;
}

/* The only place where this key may be known in the context `outer`. */
static struct known *known_at(unsigned number, uint32_t outer, uint64_t key)
{
    uint32_t hash = (uint32_t)key * 0x9e3779b1u ^ outer * 0x85ebca6bu;

    return &known[number][hash >> (32 - KNOWN_BITS)];
}

bool follow_calls(unsigned number, uint64_t place, uint64_t site, uint64_t next, uint64_t entry)
{
    struct stack *stack = follow_cpus[number].stack;
    uint64_t key = by_entry ? entry : site;
    const struct known *last;
    struct frame *top;

    if (follow_is_open(number) || place < stack->floor || place > stack->high || stack->depth == 0)
        return false;
    top = &stack->frames[stack->depth - 1];
    last = known_at(number, top->context, key);
    if (top->place <= place || last->key != key || last->outer != top->context || key == 0 ||
        entry == next || stack->depth == stack->room)
        return false;
    stack->depth++;
    top[1] = (struct frame){.place = place,
                            .next = next,
                            .entry = entry,
                            .began = stack->ran,
                            .context = last->context,
                            .kind = FRAME_CALL};
    return true;
}

bool follow_enters(unsigned number, uint64_t ip)
{
    struct stack *stack = follow_cpus[number].stack;
    struct frame *top = stack_top(stack);
    uint32_t *function;

    if (!stack)
        return true;
    function = top ? &top->function : &stack->function;
    if (*function == (uint32_t)ip)
        return false;
    *function = (uint32_t)ip;
    return true;
}

void follow_call(unsigned number, uint64_t place, uint64_t site, uint64_t next, uint64_t entry)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct frame frame = {.place = place, .next = next, .kind = FRAME_CALL};
    uint64_t key = by_entry ? entry : site;
    uint32_t outer;

    if (follow_is_open(number))
        follow_place(number, place + WORD, 0, false);
    if (!cpu->stack)
        return;
    if (place < cpu->stack->floor || place > cpu->stack->high)
        stack_grow(cpu->stack, place);
    stack_pop_below(cpu->stack, place + 1);
    if (entry == next)
        return;
    outer = stack_context(cpu->stack);
    frame.context = follow_context_by(outer, site, WIRE_BY_CALL, (unsigned)(next - site));
    if (entry)
        follow_begin_frame(&frame, cpu->stack->ran, entry);
    if (frame.context != CONTEXT_UNKNOWN)
        *known_at(number, outer, key) = (struct known){key, outer, frame.context};
    stack_push(cpu->stack, &frame);
}

bool follow_returns(unsigned number, uint64_t place)
{
    struct stack *stack = follow_cpus[number].stack;
    unsigned innermost;

    if (follow_is_open(number) || stack->depth == 0)
        return false;
    innermost = stack->depth - 1;
    if (stack->frames[innermost].place != place || stack->frames[innermost].kind != FRAME_CALL)
        return false;
    stack->depth = innermost;
    return true;
}

bool follow_return(unsigned number, uint64_t place, struct follow_returned *returned)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct frame *top;

    if (follow_is_open(number))
        follow_place(number, place, 0, true);
    if (!cpu->stack)
        return false;
    stack_pop_below(cpu->stack, place);
    top = stack_top(cpu->stack);
    if (!top || top->place != place || (top->kind != FRAME_CALL && top->kind != FRAME_ALLOCATOR))
        return false;
    *returned = (struct follow_returned){top->entry, cpu->stack->ran - top->began, top->context, 0};
    if (top->kind == FRAME_ALLOCATOR)
        returned->allocation = top->began;
    cpu->stack->depth--;
    return true;
}

bool follow_allocates(unsigned number, uint64_t place, uint64_t entry, uint64_t allocation)
{
    struct frame *top = stack_top(follow_cpus[number].stack);

    if (follow_is_open(number) || !top || top->place != place)
        return false;
    if (top->kind == FRAME_ALLOCATOR && top->began == 0) { /* has jumped here */
        top->began = allocation;
        return allocation > 0;
    }
    if (top->kind != FRAME_CALL)
        return false;
    top->kind = FRAME_ALLOCATOR;
    top->began = allocation;
    top->context = context_of(top->context, entry, WIRE_BY_ALLOCATOR, 0);
    return true;
}

bool follow_is_inside(unsigned number)
{
    return context_at(stack_context(follow_cpus[number].stack))->inside;
}

uint64_t follow_allocation(unsigned number, unsigned outer)
{
    const struct stack *stack = follow_cpus[number].stack;

    if (follow_is_open(number) || !follow_is_inside(number))
        return 0;
    for (unsigned i = stack->depth; i > 0 && stack->frames[i - 1].kind != FRAME_INTERRUPT; i--)
        if (stack->frames[i - 1].kind == FRAME_ALLOCATOR && outer-- == 0)
            return stack->frames[i - 1].began;
    return 0;
}

/* --- Loads of rsp --- */

bool follow_is_epilogue(unsigned number, uint64_t to)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct frame *top = stack_top(cpu->stack);

    return !follow_is_open(number) && top && top->kind == FRAME_CALL && top->place == to;
}

void follow_load(unsigned number, uint64_t from, uint64_t to)
{
    struct follow_cpu *cpu = &follow_cpus[number];
    struct stack_where where = follow_where(cpu, to);
    const struct frame *top = stack_top(cpu->stack);

    if (top && top->kind == FRAME_SYSCALL && !top->below.stack)
        cpu->moved = false; /* the kernel's entry: the program's stack is left in any case */
    if (cpu->moved)
        follow_settle_space(cpu);
    cpu->open = SETTLED;
    cpu->presumed = 0;
    follow_change(cpu, from, &where, 0, false);
}

void follow_load_unknown(unsigned number, uint64_t from, bool computed)
{
    struct follow_cpu *cpu = &follow_cpus[number];

    cpu->open = LOADED;
    cpu->from = from;
    cpu->computed = computed;
    cpu->expected = (struct stack_link){NULL, 0};
    cpu->presumed = 0;
}

void follow_space(unsigned number, uint64_t space, uint64_t rsp)
{
    struct follow_cpu *cpu = &follow_cpus[number];

    if (cpu->space == space)
        return;
    cpu->space = space;
    cpu->moved = true;
    cpu->moved_at = rsp;
}

bool follow_is_on(unsigned number, uint64_t rsp)
{
    const struct stack *stack = follow_cpus[number].stack;

    return stack && rsp <= stack->high && rsp + STACK_PAGE >= stack->floor;
}

void follow_sp(unsigned number, uint64_t rsp)
{
    const struct follow_cpu *cpu = &follow_cpus[number];
    const struct frame *top = stack_top(cpu->stack);

    if (!follow_is_open(number) && rsp <= cpu->stack->high &&
        !(top && top->kind == FRAME_SYSCALL && top->place + 1 == rsp))
        stack_pop_below(cpu->stack, rsp);
}

void follow_reset(unsigned number)
{
    struct follow_cpu *cpu = &follow_cpus[number];

    if (cpu->stack)
        follow_leave_stack(cpu, cpu->stack->high);
    *cpu = (struct follow_cpu){.time = cpu->time};
}

/* --- What is asked --- */

void follow_time(unsigned number, uint64_t time)
{
    struct follow_cpu *cpu = &follow_cpus[number];

    if (cpu->stack)
        cpu->stack->ran += time - cpu->time;
    cpu->time = time;
}

uint32_t follow_context(unsigned number)
{
    const struct follow_cpu *cpu = &follow_cpus[number];

    if (cpu->moved)
        follow_settle_space(&follow_cpus[number]);
    return cpu->open == LOADED ? CONTEXT_UNKNOWN : stack_context(cpu->stack);
}

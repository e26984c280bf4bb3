/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h. */
#include "outside/plugin/follow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/context.h"
#include "outside/plugin/stack.h"

#define WORD          8
#define FRAME_SIZE    40    /* rip, cs, rflags, rsp, ss */
#define FRAME_ALIGNED 16    /* the CPU aligns rsp before it stores them */
#define NEAR          16384 /* a handler's first access lies at most this far below its frame */
#define ROOM          65536 /* of locals: an unknown load so far below may be an array */
#define SLACK         256   /* pushes before a load that may have been unseen */
#define COPY_MOST     256   /* registers that a handler saves below the CPU's frame */
#define NOWHERE       16    /* stands for an rsp that is not known */
#define THREADS_LESS  1024
#define SPACES_MOST   4096

static struct follow_cpu {
    _Alignas(64) struct stack *stack; /* NULL: not known */
    enum {
        SETTLED,
        LOADED,      /* rsp was loaded with an unknown value: the next place decides */
        INTERRUPTED, /* ... as after an interrupt whose frame's place is not known */
        RETURNED,    /* ... as after `iret`, which probably continues on this stack */
    } open;
    uint64_t from;              /* LOADED, RETURNED: rsp on the stack that was left */
    struct stack_link expected; /* LOADED: the program's stack, if `sysret` followed */
    bool computed;              /* LOADED: from other registers, maybe from rsp */
    unsigned presumed;          /* INTERRUPTED: frames on `stack` that may belong on another one */
    bool moved;                 /* cr3 was changed: `stack` may be on other memory */
    uint64_t moved_at;          /* ... rsp then */
    uint64_t space;             /* cr3; 0: not known */
    uint64_t time;              /* as last passed to follow_time */
} cpus[FOLLOW_CPUS];

/*
 * Contexts that a CPU's calls had before, so that most calls need no lock. `key`: the site, or the
 * callee's entry; 0: free.
 */
#define KNOWN_BITS 12
static struct known {
    uint64_t key;
    uint32_t outer, context;
} known[FOLLOW_CPUS][1u << KNOWN_BITS];

static struct follow_thread *threads; /* [number] */
static uint32_t threads_room, thread_count;
static uint64_t spaces[SPACES_MOST]; /* cr3, [number - 1] */
static uint32_t space_count;
static bool by_entry; /* contexts are paths of functions */
static struct follow_doubts doubts;

bool follow_init(void)
{
    return stack_init() && context_init();
}

struct follow_doubts follow_doubts(void)
{
    return doubts;
}

/* --- Threads and address spaces --- */

static struct follow_thread *thread_of(uint32_t number)
{
    if (number >= threads_room) {
        uint32_t room = number < THREADS_LESS ? THREADS_LESS : 2 * number;
        struct follow_thread *more = realloc(threads, room * sizeof(*more));

        if (!more)
            return NULL;
        memset(more + threads_room, 0, (room - threads_room) * sizeof(*more));
        threads = more;
        threads_room = room;
    }
    return &threads[number];
}

struct follow_thread *follow_thread_info(uint32_t number)
{
    return thread_of(number);
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

static uint32_t thread_on(struct stack *stack)
{
    if (__builtin_expect(!stack->thread, 0))
        stack->thread = ++thread_count;
    return stack->thread;
}

/* A program runs on this stack. */
static void set_user(struct stack *stack, uint64_t space)
{
    struct follow_thread *thread = stack->user || !space ? NULL : thread_of(thread_on(stack));

    stack->program = space;
    if (!thread)
        return;
    stack->user = true;
    thread->space = space_number(space);
}

/* --- Which stack rsp is on --- */

static void enter(struct follow_cpu *cpu, struct stack *stack, uint64_t rsp)
{
    assert(!cpu->stack);
    cpu->stack = stack;
    if (!stack)
        return;
    stack_enter(stack, rsp);
    stack->space = cpu->space;
}

static void leave(struct follow_cpu *cpu, uint64_t rsp)
{
    if (cpu->stack)
        stack_leave(cpu->stack, rsp);
    cpu->stack = NULL;
}

/* If no call stays on this stack, which is entered at rsp, another thread begins on it. */
static struct stack *begin_again(struct stack *stack, uint64_t rsp)
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

/* Pushes a frame that says which stack the CPU came from. */
static void push_above(struct stack *stack, struct frame frame, uint64_t place)
{
    struct stack *below = stack_linked(&frame.below);

    frame.place = place;
    stack_pop_below(stack, place + 1);
    if (below)
        stack->thread = thread_on(below);
    stack_push(stack, &frame);
}

/* The stack is only likely: its chains end here, and whose they are is not known. */
static void forget_frames(struct stack *stack)
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
        push_above(to, *top, rsp);
        stack->depth--;
    } else if (copied == MEMORY_UNKNOWN) {
        forget_frames(to);
        doubts.doubtful++;
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
        doubts.doubtful++;
    }
    cpu->stack->depth--;
    leave(cpu, from);
    enter(cpu, below, below->low);
    stack_grow(below, where->rsp);
    push_above(below, frame, where->rsp);
    doubts.switches++;
    return true;
}

/*
 * rsp was `from`, and is now on the stack that this finds; `slack`: how much lower than known rsp
 * may have been when stacks were left; `may_stay`: lower on the same stack, for an array.
 */
static void change(struct follow_cpu *cpu, uint64_t from, const struct stack_where *where,
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
    if (!to && (to = begin_again(stack_around(where), where->rsp)) &&
        stack_keeps_calls(to, where->rsp))
        doubtful = !stack_continues_at(to, where->rsp);
    if (!to && slack && (to = stack_suspended_near(where, slack)))
        doubtful = to->depth > 0;
    if (!to) {
        to = stack_new(where);
        doubtful = may_stay && was && where->rsp < from && from - where->rsp <= ROOM;
    }
    entered = was && take_syscall(was, &frame);
    doubts.switches++;
    doubts.doubtful += doubtful;
    leave(cpu, from);
    enter(cpu, to, where->rsp);
    if (doubtful && to)
        forget_frames(to);
    if (entered && to)
        push_above(to, frame, where->rsp);
    else if (to && was)
        take_entry(was, to, where->rsp);
}

static struct stack_where where_is(const struct follow_cpu *cpu, uint64_t rsp)
{
    return (struct stack_where){.rsp = rsp, .space = cpu->space};
}

bool follow_is_open(unsigned number)
{
    return cpus[number].open != SETTLED || cpus[number].moved || !cpus[number].stack;
}

/* After a load of cr3, rsp may be on another stack at the same address. */
__attribute__((noinline)) static void settle_space(struct follow_cpu *cpu)
{
    struct stack_where where = where_is(cpu, cpu->moved_at);

    cpu->moved = false;
    if (!cpu->stack)
        return;
    if (stack_is_there(cpu->stack, &where)) {
        cpu->stack->space = cpu->space;
        return;
    }
    change(cpu, cpu->moved_at, &where, 0, false);
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
    change(cpu, frame.next, where, SLACK, false);
    if (cpu->stack)
        push_above(cpu->stack, frame, where->rsp);
}

/* After `sysret` the program continues on the stack that its system call came from. */
static bool settle_sysret(struct follow_cpu *cpu, const struct stack_where *where)
{
    struct stack *to = stack_linked(&cpu->expected);

    if (!to || to->on || where->rsp > to->high || where->rsp + NEAR < to->low ||
        !stack_is_there(to, where))
        return false;
    leave(cpu, cpu->from);
    enter(cpu, to, where->rsp < to->low ? to->low : where->rsp);
    doubts.switches++;
    return true;
}

/* True if the current stack may be the one that rsp is on. */
static bool may_be_on(const struct follow_cpu *cpu, const struct stack_where *where)
{
    return cpu->stack && stack_is_there(cpu->stack, where) &&
           (cpu->open == SETTLED ||
            (where->rsp <= cpu->stack->high + NEAR && where->rsp + NEAR >= cpu->stack->floor));
}

/* rsp is here: what was open is decided. */
static void settle(struct follow_cpu *cpu, const struct stack_where *where, bool reads)
{
    if (cpu->moved)
        settle_space(cpu);
    switch (cpu->open) {
    case LOADED:
        if (!settle_sysret(cpu, where))
            change(cpu, cpu->from, where, SLACK, cpu->computed && !reads);
        break;
    case INTERRUPTED:
        settle_interrupt(cpu, where);
        break;
    case SETTLED:
    case RETURNED:
        if (!may_be_on(cpu, where)) /* so it has never been on it */
            change(cpu, cpu->stack ? cpu->stack->entered : where->rsp, where, SLACK, false);
        break;
    }
    cpu->open = SETTLED;
    cpu->presumed = 0;
    if (cpu->stack && where->physical) {
        cpu->stack->page = (where->rsp - 1) / STACK_PAGE;
        cpu->stack->physical = where->physical;
    }
}

void follow_place(unsigned number, uint64_t rsp, uint64_t physical, bool reads)
{
    struct stack_where where = {.rsp = rsp, .space = cpus[number].space, .physical = physical};

    settle(&cpus[number], &where, reads);
}

/* --- Calls and returns --- */

/* If contexts are paths of functions, a context is made only once the callee's entry is known. */
static uint32_t context_by(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    return by_entry ? outer : context_of(outer, site, by, site_end);
}

void follow_by_entry(void)
{
    by_entry = true;
}

/* The callee or handler of this frame has begun at `ip`. */
static void begin(struct frame *frame, uint64_t ran, uint64_t ip)
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
    struct follow_cpu *cpu = &cpus[number];
    struct frame *top = stack_top(cpu->stack);

    if (!top || top->entry || top->kind == FRAME_UNKNOWN)
        return false;
    begin(top, cpu->stack->ran, ip);
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
    struct stack *stack = cpus[number].stack;
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
    struct stack *stack = cpus[number].stack;
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
    struct follow_cpu *cpu = &cpus[number];
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
    frame.context = context_by(outer, site, WIRE_BY_CALL, (unsigned)(next - site));
    if (entry)
        begin(&frame, cpu->stack->ran, entry);
    if (frame.context != CONTEXT_UNKNOWN)
        *known_at(number, outer, key) = (struct known){key, outer, frame.context};
    stack_push(cpu->stack, &frame);
}

bool follow_returns(unsigned number, uint64_t place)
{
    struct stack *stack = cpus[number].stack;
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
    struct follow_cpu *cpu = &cpus[number];
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
    struct frame *top = stack_top(cpus[number].stack);

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
    return context_at(stack_context(cpus[number].stack))->inside;
}

uint64_t follow_allocation(unsigned number, unsigned outer)
{
    const struct stack *stack = cpus[number].stack;

    if (follow_is_open(number) || !follow_is_inside(number))
        return 0;
    for (unsigned i = stack->depth; i > 0 && stack->frames[i - 1].kind != FRAME_INTERRUPT; i--)
        if (stack->frames[i - 1].kind == FRAME_ALLOCATOR && outer-- == 0)
            return stack->frames[i - 1].began;
    return 0;
}

/* --- Stack switches --- */

bool follow_is_epilogue(unsigned number, uint64_t to)
{
    struct follow_cpu *cpu = &cpus[number];
    struct frame *top = stack_top(cpu->stack);

    return !follow_is_open(number) && top && top->kind == FRAME_CALL && top->place == to;
}

void follow_load(unsigned number, uint64_t from, uint64_t to)
{
    struct follow_cpu *cpu = &cpus[number];
    struct stack_where where = where_is(cpu, to);
    const struct frame *top = stack_top(cpu->stack);

    if (top && top->kind == FRAME_SYSCALL && !top->below.stack)
        cpu->moved = false; /* the kernel's entry: the program's stack is left in any case */
    if (cpu->moved)
        settle_space(cpu);
    cpu->open = SETTLED;
    cpu->presumed = 0;
    change(cpu, from, &where, 0, false);
}

void follow_load_unknown(unsigned number, uint64_t from, bool computed)
{
    struct follow_cpu *cpu = &cpus[number];

    cpu->open = LOADED;
    cpu->from = from;
    cpu->computed = computed;
    cpu->expected = (struct stack_link){NULL, 0};
    cpu->presumed = 0;
}

void follow_space(unsigned number, uint64_t space, uint64_t rsp)
{
    struct follow_cpu *cpu = &cpus[number];

    if (cpu->space == space)
        return;
    cpu->space = space;
    cpu->moved = true;
    cpu->moved_at = rsp;
}

bool follow_is_on(unsigned number, uint64_t rsp)
{
    const struct stack *stack = cpus[number].stack;

    return stack && rsp <= stack->high && rsp + STACK_PAGE >= stack->floor;
}

void follow_sp(unsigned number, uint64_t rsp)
{
    const struct follow_cpu *cpu = &cpus[number];
    const struct frame *top = stack_top(cpu->stack);

    if (!follow_is_open(number) && rsp <= cpu->stack->high &&
        !(top && top->kind == FRAME_SYSCALL && top->place + 1 == rsp))
        stack_pop_below(cpu->stack, rsp);
}

void follow_reset(unsigned number)
{
    struct follow_cpu *cpu = &cpus[number];

    if (cpu->stack)
        leave(cpu, cpu->stack->high);
    *cpu = (struct follow_cpu){.time = cpu->time};
}

/* --- Interrupts and system calls --- */

void follow_interrupt(unsigned number, const struct follow_interrupt *interrupt)
{
    struct follow_cpu *cpu = &cpus[number];
    struct frame frame = {
        .next = interrupt->from, .kind = FRAME_INTERRUPT, .device = interrupt->device};
    struct stack_where from = {.rsp = interrupt->from, .space = cpu->space, .interrupted = true};
    uint64_t same = (interrupt->from & ~(uint64_t)(FRAME_ALIGNED - 1)) - FRAME_SIZE;

    if (interrupt->user)
        from.program = interrupt->space;
    if (follow_is_open(number) || !stack_is_there(cpu->stack, &from))
        settle(cpu, &from, true);
    if (!cpu->stack)
        return;
    if (interrupt->user)
        set_user(cpu->stack, interrupt->space);
    if (interrupt->place) /* rsp is exact: a call below it was left by a jump */
        follow_sp(number, interrupt->from);
    frame.context = context_by(stack_context(cpu->stack), interrupt->site, WIRE_BY_INTERRUPT, 0);
    if (interrupt->entry)
        begin(&frame, cpu->stack->ran, interrupt->entry);
    if (interrupt->switched)
        frame.below = stack_link_to(cpu->stack);
    if (interrupt->place && interrupt->switched) {
        struct stack_where where = where_is(cpu, interrupt->place + FRAME_SIZE);
        struct stack *to;

        leave(cpu, interrupt->from);
        to = stack_suspended_at(&where);
        to = begin_again(to ? to : stack_around(&where), where.rsp);
        enter(cpu, to ? to : stack_new(&where), where.rsp);
        doubts.switches++;
    }
    frame.place = interrupt->place ? interrupt->place : same;
    cpu->presumed = interrupt->place ? 0 : cpu->presumed + 1;
    cpu->open = interrupt->place ? SETTLED : INTERRUPTED;
    if (!cpu->stack)
        return;
    stack_grow(cpu->stack, frame.place);
    push_above(cpu->stack, frame, frame.place);
}

unsigned follow_handlers(unsigned number)
{
    const struct stack *stack = cpus[number].stack;
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
    leave(cpu, place + FRAME_SIZE);
    enter(cpu, below, to->rsp);
    doubts.switches++;
    return true;
}

void follow_interrupt_return(unsigned number, uint64_t place, uint64_t to, bool user)
{
    struct follow_cpu *cpu = &cpus[number];
    struct stack_where where = where_is(cpu, to);
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
        change(cpu, place + FRAME_SIZE, &where, 0, false);
    if (cpu->stack && user)
        set_user(cpu->stack, cpu->space);
}

uint64_t follow_interrupt_return_near(unsigned number, uint64_t place)
{
    struct follow_cpu *cpu = &cpus[number];
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
    where = where_is(cpu, frame->next);
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

    leave(cpu, cpu->from);
    cpu->open = SETTLED;
    doubts.switches++;
    if (to && !to->on) {
        enter(cpu, to, to->low);
        doubts.doubtful += to->depth > 0;
        return to->low;
    }
    doubts.doubtful++;
    to = stack_new(&nowhere);
    enter(cpu, to, NOWHERE);
    if (to)
        forget_frames(to);
    return NOWHERE;
}

uint64_t follow_syscall(unsigned number, uint64_t site, uint64_t rsp)
{
    struct follow_cpu *cpu = &cpus[number];
    struct frame frame = {.kind = FRAME_SYSCALL};
    bool likely = cpu->open == LOADED;
    uint32_t outer;

    if (likely)
        rsp = enter_unknown(cpu);
    else if (follow_is_open(number))
        follow_place(number, rsp, 0, true);
    if (!cpu->stack)
        return rsp;
    set_user(cpu->stack, cpu->space);
    outer = likely && cpu->stack->depth > 0 ? CONTEXT_UNKNOWN : stack_context(cpu->stack);
    frame.context = context_by(outer, site, WIRE_BY_SYSCALL, 0);
    push_above(cpu->stack, frame, rsp - 1);
    return rsp;
}

void follow_sysret(unsigned number)
{
    struct follow_cpu *cpu = &cpus[number];

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

/* --- What is asked --- */

void follow_time(unsigned number, uint64_t time)
{
    struct follow_cpu *cpu = &cpus[number];

    if (cpu->stack)
        cpu->stack->ran += time - cpu->time;
    cpu->time = time;
}

uint32_t follow_context(unsigned number)
{
    const struct follow_cpu *cpu = &cpus[number];

    if (cpu->moved)
        settle_space(&cpus[number]);
    return cpu->open == LOADED ? CONTEXT_UNKNOWN : stack_context(cpu->stack);
}

uint32_t follow_thread(unsigned number)
{
    const struct follow_cpu *cpu = &cpus[number];

    return cpu->stack && cpu->open != LOADED ? thread_on(cpu->stack) : 0;
}

uint64_t follow_space_of(unsigned number)
{
    return cpus[number].space;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack.h. A table of the stacks, sorted by range; each has a vector of frames. */
#include "outside/plugin/stack.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/context.h"

#define FRAMES_LESS 64         /* initial room for frames */
#define NEAR        4096       /* a stack continues at most this far below its innermost frame */
#define ROOM_MOST   (1u << 16) /* stack space of one function */

/* Sorted by `low`. Ranges do not overlap. */
static struct stack **stacks;
static unsigned stack_count;
static uint32_t threads;

bool stack_init(void)
{
    stacks = calloc(STACKS_MOST, sizeof(*stacks));
    return stacks;
}

/* The number of stacks that begin at or below the place. */
static unsigned stacks_until(uint64_t place)
{
    unsigned low = 0, high = stack_count;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (stacks[middle]->low <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct stack *stack_around(uint64_t place)
{
    unsigned i = stacks_until(place);

    return i > 0 && place <= stacks[i - 1]->high ? stacks[i - 1] : NULL;
}

static void stack_forget(unsigned i, void (*forget)(const struct stack *gone))
{
    struct stack *gone = stacks[i];

    forget(gone);
    for (unsigned other = 0; other < stack_count; other++)
        for (unsigned frame = 0; frame < stacks[other]->depth; frame++)
            if (stacks[other]->frames[frame].below == gone)
                stacks[other]->frames[frame].below = NULL;
    memmove(&stacks[i], &stacks[i + 1], (stack_count - i - 1) * sizeof(*stacks));
    stack_count--;
    free(gone->frames);
    free(gone);
}

void stack_widen(struct stack *stack, uint64_t place, void (*forget)(const struct stack *gone))
{
    if (place < stack->low)
        stack->low = place;
    if (place > stack->high)
        stack->high = place;
    for (unsigned i = 0; i < stack_count;) {
        struct stack *other = stacks[i];

        if (other == stack || other->high < stack->low || other->low > stack->high) {
            i++;
            continue;
        }
        if (other->low < stack->low)
            stack->low = other->low;
        if (other->high > stack->high)
            stack->high = other->high;
        if (other->thread < stack->thread)
            stack->thread = other->thread;
        stack_forget(i, forget);
        i = 0;
    }
}

static struct stack *stack_new(uint64_t place)
{
    struct stack *stack;
    unsigned i;

    if (stack_count == STACKS_MOST || threads + 1 == STACKS_MOST)
        return NULL;
    stack = calloc(1, sizeof(*stack));
    if (!stack)
        return NULL;
    stack->low = stack->high = place;
    stack->thread = ++threads;
    i = stacks_until(place);
    memmove(&stacks[i + 1], &stacks[i], (stack_count - i) * sizeof(*stacks));
    stacks[i] = stack;
    stack_count++;
    return stack;
}

void stack_pop_to(struct stack *stack, uint64_t place)
{
    while (stack->depth > 0 && stack->frames[stack->depth - 1].place <= place)
        stack->depth--;
}

/* Returns the next free frame, zeroed or with its previous contents; NULL: no memory. */
static struct frame *stack_free(struct stack *stack)
{
    if (stack->depth == stack->room) {
        unsigned room = stack->room ? 2 * stack->room : FRAMES_LESS;
        struct frame *frames = realloc(stack->frames, room * sizeof(*frames));

        if (!frames)
            return NULL;
        memset(frames + stack->room, 0, (room - stack->room) * sizeof(*frames));
        stack->frames = frames;
        stack->room = room;
    }
    return &stack->frames[stack->depth];
}

void stack_push(struct stack *stack, const struct frame *frame)
{
    struct frame *to = stack_free(stack);

    if (!to)
        return;
    *to = *frame;
    stack->depth++;
}

struct frame *stack_top(const struct stack *stack)
{
    return stack && stack->depth > 0 ? &stack->frames[stack->depth - 1] : NULL;
}

uint32_t stack_context(const struct stack *stack)
{
    const struct frame *top = stack_top(stack);

    return top ? top->context : CONTEXT_NONE;
}

static bool is_near(const struct stack *stack, uint64_t place)
{
    uint64_t from = stack->depth > 0 ? stack->frames[stack->depth - 1].place : stack->high;

    return place < from && from - place <= NEAR;
}

bool stack_is_about(const struct stack *stack, uint64_t place)
{
    if (place < stack->low)
        return stack->low - place <= NEAR;
    return place <= stack->high || place - stack->high <= NEAR;
}

bool stack_reaches(const struct stack *stack, uint64_t place)
{
    const struct frame *innermost = stack_top(stack);

    if (!innermost)
        return true;
    return place < stack->low ? innermost->place - place <= ROOM_MOST
                              : stack_is_about(stack, place);
}

struct stack *stack_of(uint64_t place)
{
    struct stack *stack = stack_around(place);
    unsigned above = stacks_until(place);

    if (!stack && above < stack_count && is_near(stacks[above], place))
        stack = stacks[above];
    return stack ? stack : stack_new(place);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's stacks, each a separate range of places, and the calls on each. follow.h has the
 * rules for switching between them. Called by outside/plugin/follow.c. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STACKS_MOST 65536

struct stack;

struct frame {
    uint64_t place;
    uint64_t next;           /* return address; 0 for an interrupt, as it is not known */
    uint64_t entry;          /* first instruction of the callee; 0: none has run */
    uint64_t began;          /* the value of its stack's `ran` when the callee began */
    uint32_t context, outer; /* outer: for a call, the caller's context */
    bool interrupt;
    bool replaced;       /* its return continues elsewhere */
    struct stack *below; /* for an interrupt: the interrupted stack; NULL: not known */
    uint32_t upon;       /* ... context of a handler without a place that it interrupted, or none */
};

struct stack {
    uint64_t low, high; /* the lowest and the highest place */
    uint32_t thread;    /* from 1 to STACKS_MOST - 1 */
    uint64_t ran;       /* instructions executed on it, as reported by follow_time */
    unsigned depth, room;
    struct frame *frames;
};

/* False: no memory. */
bool stack_init(void);

/* Returns the stack that includes this place or continues there, or a new one; NULL: no room. */
struct stack *stack_of(uint64_t place);

/* True if the place is within 4096 bytes of this stack, so it is on it unless rsp was loaded. */
bool stack_is_about(const struct stack *stack, uint64_t place);

/*
 * True if the callee of the innermost call can have a place there, unless rsp was loaded: a callee
 * uses at most 64 KiB, and does not leave the stack at its upper end.
 */
bool stack_reaches(const struct stack *stack, uint64_t place);

/*
 * Extends the stack to this place, and drops the stacks that its range then meets; calls `forget`
 * before it frees each.
 */
void stack_widen(struct stack *stack, uint64_t place, void (*forget)(const struct stack *gone));

void stack_push(struct stack *stack, const struct frame *frame);

/* Pops every frame at or below the place. */
void stack_pop_to(struct stack *stack, uint64_t place);

/* Return the innermost frame, or NULL, and its context, or CONTEXT_NONE. */
struct frame *stack_top(const struct stack *stack);
uint32_t stack_context(const struct stack *stack);

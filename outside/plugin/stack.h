/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of a machine, each a range of places that no other one has, and the calls that lie on
 * each. By what rules they are entered and left, follow.h says. Called by outside/plugin/follow.c.
 * One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STACKS_MOST 65536

struct stack;

struct frame {
    uint64_t place;
    uint64_t next;  /* where the code continues after the return; of an interrupt not known: 0 */
    uint64_t entry; /* the first instruction of what was called; 0: none has run */
    uint64_t began; /* ... when its stack had executed so many */
    uint32_t context, outer; /* outer: of a call, the context that it was made in */
    bool interrupt;
    bool replaced;       /* a return from it goes elsewhere */
    struct stack *below; /* of an interrupt: the stack that it came upon; NULL: not known */
    uint32_t upon;       /* ... the context of another whose handler has no place yet, or none */
};

struct stack {
    uint64_t low, high; /* the lowest and the highest place */
    uint32_t thread;    /* from 1 on, less than STACKS_MOST */
    uint64_t ran;       /* instructions that were executed on it, as far as they were told */
    unsigned depth, room;
    struct frame *frames;
};

/* False: no memory. */
bool stack_init(void);

/* The stack that has been there, or that continues there, or a new one; NULL: no room for it. */
struct stack *stack_of(uint64_t place);

/* Whether the place is on this stack if rsp has not been loaded. */
bool stack_is_about(const struct stack *stack, uint64_t place);

/*
 * Whether what the innermost call leads to can have a place there, if rsp has not been loaded: it
 * takes no more room than 64 KiB, and leaves no stack at its upper end.
 */
bool stack_reaches(const struct stack *stack, uint64_t place);

/*
 * The place is this stack's. Others whose ranges meet it then are forgotten: `forget` is told
 * before each is gone.
 */
void stack_widen(struct stack *stack, uint64_t place, void (*forget)(const struct stack *gone));

void stack_push(struct stack *stack, const struct frame *frame);

/* Pops every frame at or below the place. */
void stack_pop_to(struct stack *stack, uint64_t place);

/* The innermost frame, if there is one. */
struct frame *stack_top(const struct stack *stack);
uint32_t stack_context(const struct stack *stack);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the follower share (follow.h): a CPU's state, and the steps of which a call, a
 * load of rsp or an interrupt consists. All need the plugin's lock but for follow_where.
 */
#pragma once

#include <stddef.h>

#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/stack.h"

#define WORD       8
#define FRAME_SIZE 40    /* what the CPU pushes: rip, cs, rflags, rsp, ss */
#define NEAR       16384 /* a handler's first access lies at most this far below its frame */
#define COPY_MOST  256   /* registers that a handler saves below the CPU's frame */

/* Its CPU's alone. */
struct follow_cpu {
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
};

extern struct follow_cpu follow_cpus[FOLLOW_CPUS];

/* What follow_doubts returns; under the plugin's lock. */
extern struct follow_doubts follow_doubted;

/* rsp, in the address space of this CPU. */
static inline struct stack_where follow_where(const struct follow_cpu *cpu, uint64_t rsp)
{
    return (struct stack_where){.rsp = rsp, .space = cpu->space};
}

/* A program runs on this stack. */
void follow_set_user(struct stack *stack, uint64_t space);

/* The CPU enters a stack at rsp, after it has left the one before; NULL: not known. */
void follow_enter_stack(struct follow_cpu *cpu, struct stack *stack, uint64_t rsp);
void follow_leave_stack(struct follow_cpu *cpu, uint64_t rsp);

/* If no call stays on this stack, which is entered at rsp, another thread begins on it. */
struct stack *follow_begin_again(struct stack *stack, uint64_t rsp);

/*
 * rsp was `from`, and is now on the stack that this finds; `slack`: how much lower than known rsp
 * may have been when stacks were left; `may_stay`: lower on the same stack, for an array.
 */
void follow_change(struct follow_cpu *cpu, uint64_t from, const struct stack_where *where,
                   uint64_t slack, bool may_stay);

/* rsp is here: what was open is decided. Then only what a load of cr3 has left open. */
void follow_settle(struct follow_cpu *cpu, const struct stack_where *where, bool reads);
void follow_settle_space(struct follow_cpu *cpu);

/* Pushes a frame that says which stack the CPU came from. */
void follow_push_above(struct stack *stack, struct frame frame, uint64_t place);

/* The stack is only likely: its chains end here, and whose they are is not known. */
void follow_forget(struct stack *stack);

/* If contexts are paths of functions, a context is made only once the callee's entry is known. */
uint32_t follow_context_by(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end);

/* The callee or handler of this frame has begun at `ip`. */
void follow_begin_frame(struct frame *frame, uint64_t ran, uint64_t ip);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains, one frame at a time:
 *
 *     for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state))
 *         use(state.ip, state.exact, state.regs);
 *     if (state.end != UNWIND_OUTERMOST)
 *         ... the chain stops early, and unwind_reason(state.end) says why
 *
 * Works in any context, NMI included, on whatever it finds: reads only memory of known stacks,
 * always moves forward, cannot fault and cannot loop. Crosses trap frames and stack switches. How
 * one step is taken is core/perf/unwind_fp.c's; docs/unwinding.md tells why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

enum unwind_end {
    UNWIND_RUNNING,
    UNWIND_OUTERMOST,        /* the chain is whole: its last frame has no caller */
    UNWIND_NO_STACK,         /* sp or fp lies in no known stack */
    UNWIND_OUTSIDE_STACK,    /* a frame would lie outside its stack's bounds */
    UNWIND_NOT_FORWARD,      /* a frame would lie below the one that it called */
    UNWIND_MISALIGNED,       /* a frame pointer that is not a multiple of 8 */
    UNWIND_NOT_CODE,         /* a return address that is not in the kernel's text */
    UNWIND_STACK_TWICE,      /* a trap frame leads back to a stack that was left */
    UNWIND_NO_FRAME_POINTER, /* a partial snapshot, which only a table can unwind */
    /* a trap came inside a trap entry, where no frame is set up yet or any more */
    UNWIND_IN_ENTRY,
};

struct unwind {
    uintptr_t ip;
    uintptr_t sp; /* as it was, or will be, at ip */
    uintptr_t fp; /* frame pointer register at ip */
    /* the trap frame or snapshot that ip comes from; NULL for a return address */
    const struct regs *regs;
    /* execution stands at ip (regs); false: it will return there, the call is before it */
    bool exact;
    enum unwind_end end;
    uintptr_t low, high; /* of the stack being walked, low moving up with each frame */
    const struct arch_stack *stack;
    /* stacks that were left: task < interrupt or exception < #DB < NMI */
    const struct arch_stack *left[4];
    unsigned left_count;
};

void unwind_start(struct unwind *state, const struct regs *regs);
void unwind_next(struct unwind *state);

static inline bool unwind_done(const struct unwind *state)
{
    return state->end != UNWIND_RUNNING;
}

/* "the frame pointer leads outside its stack": for a person. */
const char *unwind_reason(enum unwind_end end);

/*
 * The whole chain's addresses, innermost first, into `chain`; returns how many, `most` at most. The
 * hit path's way to the same frames as the iterator's.
 */
size_t unwind_capture(const struct regs *regs, uint64_t *chain, size_t most);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains, one frame at a time:
 *
 *     for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state))
 *         use(state.ip, state.kind, state.regs);
 *     if (!unwind_is_whole(&state))
 *         ... the chain stops early, and unwind_reason(state.end) says why
 *
 * The chain is the kernel's: where it comes to a program it ends with UNWIND_USER, and ip, sp, fp
 * and regs are the program's then, regs NULL where the entry had not saved them all.
 *
 * Works in any context, NMI included, on whatever it finds: reads only memory of known stacks,
 * always moves forward, cannot fault and cannot loop. Crosses trap frames and stack switches. There
 * are two ways to take a step, by a table (core/unwind/orc.c) and by frame pointers
 * (core/unwind/fp.c); docs/unwinding.md tells why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/unwind.h"

enum unwind_end {
    UNWIND_RUNNING,
    UNWIND_OUTERMOST,        /* the chain is whole: its last frame has no caller */
    UNWIND_USER,             /* the chain is whole: a program's frame called this one */
    UNWIND_NO_STACK,         /* sp or fp lies in no known stack */
    UNWIND_OUTSIDE_STACK,    /* a frame would lie outside its stack's bounds */
    UNWIND_NOT_FORWARD,      /* a frame would lie below the one that it called */
    UNWIND_MISALIGNED,       /* a stack or frame pointer that is not a multiple of 8 */
    UNWIND_NOT_CODE,         /* a return address that is not in the kernel's text */
    UNWIND_STACK_TWICE,      /* a trap frame leads back to a stack that was left */
    UNWIND_NO_FRAME_POINTER, /* needed by a partial snapshot, whose frame is not found */
    UNWIND_NO_REGISTER,      /* the table counts from a register that is not known here */
    UNWIND_NO_RULE,          /* the table says nothing of this address */
    UNWIND_NO_WAY,           /* neither a table nor frame pointers in this kernel */
    /*
     * A trap came inside a trap entry, where the frame is not yet, or no longer, set up: only with
     * frame pointers.
     */
    UNWIND_IN_ENTRY,
};

/* What a frame is. */
enum unwind_kind {
    UNWIND_SNAPSHOT, /* the first one, taken in running code */
    UNWIND_TRAP,     /* a trap or interrupt came here: regs, or the part of them that was saved */
    UNWIND_CALL,     /* a return address: the call is before it */
};

enum unwind_method {
    UNWIND_BY_TABLE,
    UNWIND_BY_FRAME_POINTER,
    UNWIND_METHODS,
};

struct unwinder;

struct unwind {
    uintptr_t ip;
    uintptr_t sp; /* its value when execution was, or will be, at ip */
    uintptr_t fp; /* frame pointer register at ip */
    bool fp_known;
    enum unwind_kind kind; /* at UNWIND_USER ip, sp and fp are the program's */
    /* the trap frame or snapshot that ip comes from; NULL for a call or half-saved trap frame */
    const struct regs *regs;
    enum unwind_end end;
    const struct unwinder *unwinder;
    uintptr_t low, high; /* bounds of the stack being walked; low moves up with each frame */
    const struct arch_stack *stack;
    /* stacks that the chain has left: task < interrupt or exception < #DB < NMI */
    const struct arch_stack *left[4];
    unsigned left_count;
};

/*
 * Checks the kernel's table. Returns 0, or -EINVAL and the reason why it is not used. Called once
 * at boot; chains before that have one frame.
 */
struct refusal;
int unwind_init(struct refusal *why);

/* True if this method can make chains; and the default method. */
bool unwind_possible(enum unwind_method method);
enum unwind_method unwind_default(void);

void unwind_start(struct unwind *state, const struct regs *regs);
void unwind_start_by(enum unwind_method method, struct unwind *state, const struct regs *regs);
void unwind_next(struct unwind *state);

static inline bool unwind_done(const struct unwind *state)
{
    return state->end != UNWIND_RUNNING;
}

/* No frame is missing at its end. */
static inline bool unwind_is_whole(const struct unwind *state)
{
    return state->end == UNWIND_OUTERMOST || state->end == UNWIND_USER;
}

/* True if execution is at ip. If false, it will return to ip, and the call is at ip - 1. */
static inline bool unwind_is_exact(const struct unwind *state)
{
    return state->kind != UNWIND_CALL;
}

/*
 * In words, for the user: "the next frame would lie outside the stack"; and "here", "trap" or
 * "call".
 */
const char *unwind_reason(enum unwind_end end);
const char *unwind_kind_name(enum unwind_kind kind);

/*
 * The whole chain's addresses, innermost first, into `chain`; returns how many, `most` at most. The
 * hit path uses this; it gives the same frames as the iterator. The innermost `skip` frames are
 * left out.
 */
size_t unwind_capture_by(enum unwind_method method, const struct regs *regs, unsigned skip,
                         uint64_t *chain, size_t most);
static inline size_t unwind_capture(const struct regs *regs, uint64_t *chain, size_t most)
{
    return unwind_capture_by(unwind_default(), regs, 0, chain, most);
}

/* Where the kernel's part of a chain has ended: core/unwind/user.h continues from there. */
struct unwind_border {
    bool crossed; /* the chain goes to a program; if false, the other fields have no meaning */
    uintptr_t ip, sp, fp;
    const struct arch_stack *stack; /* the kernel stack of its thread; NULL: it runs on this CPU */
    unsigned skip;                  /* frames to skip that were not found in the kernel */
};

/* As unwind_capture_by; also tells where the kernel's part ended. */
size_t unwind_capture_border(enum unwind_method method, const struct regs *regs, unsigned skip,
                             uint64_t *chain, size_t most, struct unwind_border *border);

/*
 * Does that for one method, for chains without frames to skip, `most` being 2 or more. What
 * unwind_capture_of returns remains true from unwind_init on.
 */
typedef size_t unwind_capture_function(const struct regs *regs, uint64_t *chain, size_t most,
                                       struct unwind_border *border);
unwind_capture_function *unwind_capture_of(enum unwind_method method);

/*
 * Changes `regs` to the registers of the frame `callers` up, so that a chain from them begins
 * there. Unwinding knows ip, sp and bp, or all if a trap interrupted that frame; the others become
 * 0. If the chain is not that long, returns false and leaves `regs` as they were.
 */
bool unwind_rewind_by(enum unwind_method method, struct regs *regs, unsigned callers);
static inline bool unwind_rewind(struct regs *regs, unsigned callers)
{
    return unwind_rewind_by(unwind_default(), regs, callers);
}

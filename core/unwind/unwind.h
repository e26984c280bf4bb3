/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains, one frame at a time:
 *
 *     for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state))
 *         use(state.ip, state.kind, state.regs);
 *     if (!unwind_is_whole(&state))
 *         ... the chain is incomplete; unwind_reason(state.end) gives the reason
 *
 * A chain that reaches a program ends with UNWIND_USER, and ip, sp, fp and regs are the program's;
 * regs is NULL if the entry had not saved all registers. Any context, NMI included, and on corrupt
 * stacks: reads only memory of known stacks, always moves forward, cannot fault and cannot loop.
 * Crosses trap frames and stack switches. A step uses a table (core/unwind/orc.c) or frame pointers
 * (core/unwind/fp.c); docs/unwinding.md gives the reasons.
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
    UNWIND_NOT_FORWARD,      /* a frame would lie below its callee's frame */
    UNWIND_MISALIGNED,       /* the stack or frame pointer is not a multiple of 8 */
    UNWIND_NOT_CODE,         /* the return address is not in the kernel's text */
    UNWIND_STACK_TWICE,      /* a trap frame leads back to a stack already left */
    UNWIND_NO_FRAME_POINTER, /* a partial snapshot lacks it, and its frame was not found */
    UNWIND_NO_REGISTER,      /* the rule uses a register that is not known here */
    UNWIND_NO_RULE,          /* the table has no rule for this address */
    UNWIND_NO_WAY,           /* this kernel has neither a table nor frame pointers */
    UNWIND_IN_ENTRY,         /* interrupted in a trap entry, which has no frame pointer */
};

enum unwind_kind {
    UNWIND_SNAPSHOT, /* the first frame, taken in running code */
    UNWIND_TRAP,     /* interrupted by a trap; regs is NULL if it does not hold all registers */
    UNWIND_CALL,     /* a return address; the call is before it */
};

enum unwind_method {
    UNWIND_BY_TABLE,
    UNWIND_BY_FRAME_POINTER,
    UNWIND_METHODS,
};

struct sink;
struct unwinder;

struct unwind {
    uintptr_t ip;
    uintptr_t sp; /* stack pointer when execution was, or will be, at ip */
    uintptr_t fp; /* frame pointer register at ip */
    bool fp_known;
    enum unwind_kind kind;
    /* The trap frame or snapshot that holds ip; NULL for a call or a half-saved trap frame. */
    const struct regs *regs;
    enum unwind_end end;
    const struct unwinder *unwinder;
    uintptr_t low, high; /* bounds of the stack being walked; low moves up with each frame */
    const struct arch_stack *stack;
    /* Stacks the chain has left: task < interrupt or exception < #DB < NMI. */
    const struct arch_stack *left[4];
    unsigned left_count;
};

/*
 * Called at boot; until then chains have one frame. Returns 0, or -EINVAL and why the table is not
 * used.
 */
struct refusal;
int unwind_init(struct refusal *why);

bool unwind_possible(enum unwind_method method);
enum unwind_method unwind_default(void);

void unwind_start(struct unwind *state, const struct regs *regs);
void unwind_start_by(enum unwind_method method, struct unwind *state, const struct regs *regs);
void unwind_next(struct unwind *state);

static inline bool unwind_done(const struct unwind *state)
{
    return state->end != UNWIND_RUNNING;
}

/* True if no frame is missing at the end of the chain. */
static inline bool unwind_is_whole(const struct unwind *state)
{
    return state->end == UNWIND_OUTERMOST || state->end == UNWIND_USER;
}

/* True if execution is at ip; otherwise it will return there, and the call is at ip - 1. */
static inline bool unwind_is_exact(const struct unwind *state)
{
    return state->kind != UNWIND_CALL;
}

/*
 * Return text for the user: for example "the next frame would lie outside the stack"; and "here",
 * "trap" or "call".
 */
const char *unwind_reason(enum unwind_end end);
const char *unwind_kind_name(enum unwind_kind kind);

/*
 * Stores the chain's addresses, innermost first, without the innermost `skip` frames. Returns their
 * number, at most `most`. For the hit path; yields the same frames as the iterator.
 */
size_t unwind_capture_by(enum unwind_method method, const struct regs *regs, unsigned skip,
                         uint64_t *chain, size_t most);

/* Where the kernel's part of a chain ended; unwind_user_capture continues from there. */
struct unwind_border {
    bool crossed; /* if false, the chain ends here and the other fields are undefined */
    uintptr_t ip, sp, fp;
    const struct arch_stack *stack; /* the thread's kernel stack; NULL: it runs on this CPU */
    unsigned skip;                  /* frames still to skip beyond the kernel's part */
};

/* Like unwind_capture_by, but also stores where the kernel's part ended. */
size_t unwind_capture_border(enum unwind_method method, const struct regs *regs, unsigned skip,
                             uint64_t *chain, size_t most, struct unwind_border *border);

/*
 * Like unwind_capture_border with skip 0; `most` must be at least 2. unwind_init decides which
 * function unwind_capture_of returns for a method.
 */
typedef size_t unwind_capture_function(const struct regs *regs, uint64_t *chain, size_t most,
                                       struct unwind_border *border);
unwind_capture_function *unwind_capture_of(enum unwind_method method);

/*
 * Replaces `regs` with the registers of the frame `callers` up, so that a chain begins there.
 * Recovers ip, sp and bp, or all registers if a trap interrupted that frame; general registers that
 * are not recovered become 0. Returns false and leaves `regs` unchanged if the chain is too short.
 */
bool unwind_rewind(enum unwind_method method, struct regs *regs, unsigned callers);

/*
 * --- Programs' frames: user.c. Follows frame pointers, which programs keep in every build. The
 * function's bytes decide the first step, because execution may be in a prologue, an epilogue or a
 * leaf without a frame (docs/programs.md). Without `process` and `process_read` of struct
 * pitot_kernel, chains end at the border. Any context, NMI included: page tables are walked in
 * software, so reads cannot fault; every frame lies above the previous one; bad values in a
 * program's stack or registers only end its chain. ---
 */

/*
 * Stores the program's addresses, innermost first, without the first `border->skip`. Returns their
 * number, at most `most`. `border->crossed` must be true.
 */
size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most);

/*
 * Finds a hit's n-th caller, in the kernel or in the program that called it, for events that skip
 * frames. Stores the registers recovered by unwinding: ip, sp, bp and cs, or all if a trap
 * interrupted that frame; the rest are 0. Returns false if the chain has no such frame; then all
 * but cs are 0.
 */
bool unwind_find_caller(enum unwind_method method, const struct regs *hit, unsigned callers,
                        struct regs *caller);

/* --- `perf record --verify-chain`: each chain by both methods; requires UNWINDER=fp. --- */

/* Arrays are indexed by enum unwind_method. */
struct verify_difference {
    uintptr_t ip;   /* where the sample was taken */
    unsigned frame; /* index of the first frame that differs; frame 0 is the sample's ip */
    /*
     * For each method: the frame's address (0 if the chain has ended), the frame's kind, and why
     * the chain ended.
     */
    uintptr_t by[UNWIND_METHODS];
    enum unwind_kind kind[UNWIND_METHODS];
    enum unwind_end end[UNWIND_METHODS];
};

struct verify_counts {
    uint64_t chains, differ;
    struct verify_difference first; /* valid if differ > 0 */
};

/* Task context, while nothing is recorded. */
void verify_chain_reset(void);
struct verify_counts verify_chain_counts(void);

/* Makes the chain by both methods, compares the two and counts the result. Any context. */
void verify_chain(const struct regs *regs);

/* Prints how many chains agree and where the first differs, in one or two lines. Task context. */
void verify_chain_print(struct sink *sink);

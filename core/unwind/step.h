/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the iterator (unwind.c) shares with the two ways to take a step (orc.c, fp.c). The ways
 * differ only in the step. No other file includes this.
 */
#pragma once

#include "arch/memory.h"
#include "core/unwind/unwind.h"

struct unwinder {
    /* Moves from the frame in `state` to its caller, or sets state->end. */
    void (*step)(struct unwind *state);
    unwind_capture_function *capture;
    /*
     * Follows plain frames from `state` and stores the addresses of callers, up to the first
     * special frame. Returns how many it stored.
     */
    size_t (*run)(struct unwind *state, uint64_t *chain, size_t most);
};

/*
 * What this kernel was built with (core/unwind/default_orc.c or default_fp.c): NULL for a method
 * that is left out; and the method that is used if none is named.
 */
extern const struct unwinder *const unwinders[UNWIND_METHODS];
extern const enum unwind_method unwinder_method;

extern const struct unwinder unwind_orc, unwind_fp;

/* orc.c's part of unwind_init, with the same results. */
int unwind_orc_init(struct refusal *why);

/* Ends the chain. */
static inline void unwind_stop(struct unwind *state, enum unwind_end end)
{
    state->end = end;
}

static inline bool unwind_in_text(uintptr_t address)
{
    return address >= arch_text_start() && address < arch_text_end();
}

/* The rest of a chain whose first `count` frames are stored; `state` is at the last of these. */
size_t unwind_capture_rest(struct unwind *state, uint64_t *chain, size_t count, size_t most,
                           struct unwind_border *border);

/* Reads the word at `address`, which unwind_may_read has allowed. */
static inline uint64_t unwind_read(uintptr_t address)
{
    return *(const uint64_t *)address;
}

/* [address, address + 8) is readable: inside the stack and not below what was read before. */
bool unwind_may_read(struct unwind *state, uintptr_t address);

/* Moves to the caller; its return address is at `slot`, and state->fp is already the caller's. */
void unwind_return(struct unwind *state, uintptr_t slot);

/* Moves to the context that a trap interrupted: from the struct regs at `address`. */
void unwind_enter_trap(struct unwind *state, uintptr_t address);

/*
 * Moves to ip, sp and fp, as a trap found them. `regs` is where they are from, or NULL if not all
 * of them were saved.
 */
void unwind_enter(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                  const struct regs *regs);

/*
 * Ends the chain as whole: a program was interrupted, with these registers; `regs` as in
 * unwind_enter.
 */
void unwind_leave_kernel(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                         const struct regs *regs);

/*
 * Finds the frame pointer at state->sp if the chain began without one, in a partial snapshot. If it
 * cannot be found, returns false, and the chain ends.
 */
bool unwind_find_fp(struct unwind *state);

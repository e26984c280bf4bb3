/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between the iterator (unwind.c) and the unwinders (orc.c, fp.c, embed/unwinders.c). */
#pragma once

#include "arch/memory.h"
#include "core/unwind/unwind.h"

struct unwinder {
    /* Moves from the frame in `state` to its caller, or sets state->end. */
    void (*step)(struct unwind *state);
    unwind_capture_function *capture;
    /*
     * Stores the callers' addresses up to the first frame that needs `step`; returns their number.
     */
    size_t (*run)(struct unwind *state, uint64_t *chain, size_t most);
};

/*
 * Defined by core/unwind/default_orc.c or default_fp.c. An entry is NULL if the kernel is built
 * without that method.
 */
extern const struct unwinder *const unwinders[UNWIND_METHODS];
extern const enum unwind_method unwinder_method;

extern const struct unwinder unwind_orc, unwind_fp;

/* Validates the kernel's table. Returns as unwind_init does. */
int unwind_orc_init(struct refusal *why);

/* Returns true if nothing but a frame pointer is known of the frame's code. */
bool unwind_orc_in_gap(const struct unwind *state);

static inline void unwind_stop(struct unwind *state, enum unwind_end end)
{
    state->end = end;
}

static inline bool unwind_in_text(uintptr_t address)
{
    return address >= arch_text_start() && address < arch_text_end();
}

/*
 * Stores the rest of a chain and returns the length of the whole, at most `most`. `state` is at the
 * last of the `count` frames already stored, or at the first frame if none is.
 */
size_t unwind_capture_rest(struct unwind *state, uint64_t *chain, size_t count, size_t most,
                           struct unwind_border *border);

/* Reads the 8 bytes at an address that unwind_may_read has checked. */
static inline uint64_t unwind_read(uintptr_t address)
{
    return *(const uint64_t *)address;
}

/*
 * Returns true if the 8 bytes at `address` are in the stack and not below state->low. Otherwise
 * ends the chain.
 */
bool unwind_may_read(struct unwind *state, uintptr_t address);

/* Moves to the caller. `slot` holds the return address; state->fp is already the caller's. */
void unwind_return(struct unwind *state, uintptr_t slot);

/* Moves to the context that a trap interrupted, saved in the struct regs at `address`. */
void unwind_enter_trap(struct unwind *state, uintptr_t address);

/*
 * Moves to an interrupted context. `regs` is its trap frame, or NULL if that does not hold all
 * registers.
 */
void unwind_enter(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                  const struct regs *regs);

/*
 * Ends the chain, which is then whole, because the trap interrupted a program. `regs` as in
 * unwind_enter.
 */
void unwind_leave_kernel(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                         const struct regs *regs);

/* Recovers a partial snapshot's frame pointer. On failure returns false and ends the chain. */
bool unwind_find_fp(struct unwind *state);

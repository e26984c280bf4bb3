/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between the iterator (unwind.c) and the unwinders (orc.c, fp.c, embed/unwinders.c). */
#pragma once

#include "arch/memory.h"
#include "core/unwind/unwind.h"

struct unwinder {
    /* Moves from the frame in `state` to its caller, or sets state->end. */
    void (*step)(struct unwind *state);
    unwind_capture_function *capture;
    /* Stores the callers' addresses up to the first special frame; returns their number. */
    size_t (*run)(struct unwind *state, uint64_t *chain, size_t most);
};

/* Defined by core/unwind/default_orc.c or default_fp.c. NULL: built without the method. */
extern const struct unwinder *const unwinders[UNWIND_METHODS];
extern const enum unwind_method unwinder_method;

extern const struct unwinder unwind_orc, unwind_fp;

/* Validates the kernel's table, as unwind_init. */
int unwind_orc_init(struct refusal *why);

static inline void unwind_stop(struct unwind *state, enum unwind_end end)
{
    state->end = end;
}

static inline bool unwind_in_text(uintptr_t address)
{
    return address >= arch_text_start() && address < arch_text_end();
}

/* Stores the rest of a chain. `state` is at the last of the `count` frames stored already. */
size_t unwind_capture_rest(struct unwind *state, uint64_t *chain, size_t count, size_t most,
                           struct unwind_border *border);

/* Only after unwind_may_read has checked the address. */
static inline uint64_t unwind_read(uintptr_t address)
{
    return *(const uint64_t *)address;
}

/* True if the 8 bytes are in the stack, not below those read before. Otherwise ends the chain. */
bool unwind_may_read(struct unwind *state, uintptr_t address);

/* Moves to the caller. `slot` holds the return address; state->fp is already the caller's. */
void unwind_return(struct unwind *state, uintptr_t slot);

/* Moves to the context that a trap interrupted, saved in the struct regs at `address`. */
void unwind_enter_trap(struct unwind *state, uintptr_t address);

/* Moves to an interrupted context. `regs` is its trap frame; NULL: not all registers were saved. */
void unwind_enter(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                  const struct regs *regs);

/* Ends the chain as whole: the trap interrupted a program. `regs` as in unwind_enter. */
void unwind_leave_kernel(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                         const struct regs *regs);

/* Recovers a partial snapshot's frame pointer. On failure returns false and ends the chain. */
bool unwind_find_fp(struct unwind *state);

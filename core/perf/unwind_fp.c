/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step by frame pointers. A frame's memory, from the frame pointer up:
 *
 *     fp      the caller's frame pointer
 *     fp + 8  the return address into the caller
 *     fp + 16 the caller's sp once the call has returned
 *
 * The first step from a trap or snapshot is special: the function at ip may not have set its frame
 * up, may have taken it down, or may have none; arch_frame_at decides from the function's code. Any
 * context; see unwind.h.
 */
#include "core/perf/unwind_step.h"
#include "core/symbols.h"

#define FRAME_SIZE 16

static uint64_t unwind_read(uintptr_t address)
{
    return *(const uint64_t *)address;
}

static bool unwind_in_text(uintptr_t address)
{
    return address >= arch_text_start() && address < arch_text_end();
}

/* [address, address + 8) is readable: inside the stack and not below what was read before. */
static bool unwind_may_read(struct unwind *state, uintptr_t address)
{
    if (!state->stack)
        unwind_stop(state, UNWIND_NO_STACK);
    else if (address % 8)
        unwind_stop(state, UNWIND_MISALIGNED);
    else if (address < state->stack->low || address > state->high - 8)
        unwind_stop(state, UNWIND_OUTSIDE_STACK);
    else if (address < state->low)
        unwind_stop(state, UNWIND_NOT_FORWARD);
    else
        return true;
    return false;
}

/* The caller, its return address being at `slot`. */
static void unwind_fp_return(struct unwind *state, uintptr_t slot, uintptr_t caller_fp)
{
    uintptr_t return_address;

    if (!unwind_may_read(state, slot))
        return;
    return_address = unwind_read(slot);
    if (!unwind_in_text(return_address)) {
        unwind_stop(state, UNWIND_NOT_CODE);
        return;
    }
    state->low = slot + 8;
    state->ip = return_address;
    state->sp = slot + 8;
    state->fp = caller_fp;
    state->regs = NULL;
    state->exact = false;
}

/*
 * A trap entry called: what it had on top of its stack is the struct regs of what it interrupted.
 */
static void unwind_fp_from_trap(struct unwind *state)
{
    if (!state->stack || state->sp + sizeof(struct regs) > state->high)
        unwind_stop(state, UNWIND_OUTSIDE_STACK);
    else
        unwind_enter_regs(state, (const struct regs *)state->sp);
}

/* Where the frame of the function stands that was interrupted at state->ip. */
static enum arch_frame unwind_fp_frame(const struct unwind *state)
{
    struct symbol function;

    /*
     * No code there: control arrived by a call or jump into nowhere, so the call's return address
     * is on top.
     */
    if (!unwind_in_text(state->ip))
        return ARCH_FRAME_NONE;
    if (!symbols_find_address(state->ip, &function))
        return ARCH_FRAME_SET;
    return arch_frame_at(function.address, state->ip);
}

static void unwind_fp_from_frame(struct unwind *state)
{
    if (state->fp == 0)
        unwind_stop(state, UNWIND_OUTERMOST);
    else if (unwind_may_read(state, state->fp))
        unwind_fp_return(state, state->fp + 8, unwind_read(state->fp));
}

void unwind_fp_step(struct unwind *state)
{
    if (!state->exact) {
        if (arch_is_trap_return(state->ip))
            unwind_fp_from_trap(state);
        else
            unwind_fp_from_frame(state);
        return;
    }
    if (state->regs->flags == 0 && state->fp == 0) {
        unwind_stop(state, UNWIND_NO_FRAME_POINTER);
        return;
    }
    if (state->ip >= arch_text_plain_end() && state->ip < arch_text_end()) {
        unwind_stop(state, UNWIND_IN_ENTRY);
        return;
    }
    switch (unwind_fp_frame(state)) {
    case ARCH_FRAME_NONE:
        unwind_fp_return(state, state->sp, state->fp);
        break;
    case ARCH_FRAME_SAVED:
        unwind_fp_return(state, state->sp + 8, state->fp);
        break;
    case ARCH_FRAME_SET:
        unwind_fp_from_frame(state);
        break;
    }
}

/*
 * The hit path's loop, for frames between two return addresses. Trap entries lie at the end of the
 * text (arch_text_plain_end), so one comparison tells plain code from them and from anything else.
 * Whatever is special is left to unwind_fp_step.
 */
size_t unwind_fp_run(struct unwind *state, uint64_t *chain, size_t most)
{
    const uintptr_t text = arch_text_start(), text_size = arch_text_plain_end() - text;
    const uintptr_t last = state->high - FRAME_SIZE;
    uintptr_t fp = state->fp, low = state->low;
    uint64_t *at = chain, *const end = chain + most;

    if (state->ip - text >= text_size || !state->stack)
        return 0;
    while (fp >= low && fp <= last && fp % 8 == 0 && at < end) {
        uintptr_t return_address = unwind_read(fp + 8);

        if (return_address - text >= text_size)
            break;
        *at++ = return_address;
        low = fp + FRAME_SIZE;
        fp = unwind_read(fp);
    }
    if (at > chain)
        state->ip = at[-1];
    state->fp = fp;
    state->sp = state->low = low;
    return (size_t)(at - chain);
}

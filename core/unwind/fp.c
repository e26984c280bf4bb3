/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step by frame pointers. A frame's memory, from the frame pointer up:
 *
 *     fp      the caller's frame pointer
 *     fp + 8  the return address into the caller
 *     fp + 16 the caller's sp after the call returns
 *
 * At the first step from a trap or snapshot, the function at ip may have no frame, may not have set
 * it up yet, or may have removed it already; arch_frame_at decides from the function's code. Any
 * context; see unwind.h.
 */
#include "arch/memory.h"
#include "core/symbols/symbols.h"
#include "core/unwind/step.h"

#define FRAME_SIZE 16

/* Moves to the caller. `slot` holds the return address. */
static void unwind_fp_return(struct unwind *state, uintptr_t slot, uintptr_t caller_fp)
{
    state->fp = caller_fp;
    unwind_return(state, slot);
}

static void unwind_fp_from_frame(struct unwind *state)
{
    if (!state->fp_known && !unwind_find_fp(state))
        return;
    if (state->fp == 0)
        unwind_stop(state, UNWIND_OUTERMOST);
    else if (unwind_may_read(state, state->fp))
        unwind_fp_return(state, state->fp + 8, unwind_read(state->fp));
}

static void unwind_fp_step(struct unwind *state)
{
    enum arch_frame frame = ARCH_FRAME_SET;
    struct symbol function;

    if (!unwind_is_exact(state)) {
        if (arch_is_trap_return(state->ip))
            unwind_enter_trap(state, state->sp);
        else
            unwind_fp_from_frame(state);
        return;
    }
    if (!state->fp_known && !unwind_find_fp(state))
        return;
    if (state->ip >= arch_text_plain_end() && state->ip < arch_text_end()) {
        unwind_stop(state, UNWIND_IN_ENTRY);
        return;
    }
    /* Outside the text: a call or jump went wrong; the return address is on top of the stack. */
    if (!unwind_in_text(state->ip))
        frame = ARCH_FRAME_NONE;
    else if (symbols_find_address(state->ip, &function))
        frame = arch_frame_at(function.address, state->ip);
    switch (frame) {
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
 * Fast loop of the hit path, for frames connected by plain calls. Trap entries are at the end of
 * the text, so one comparison separates plain code from everything else. Handles the end of the
 * chain; leaves every other special case to unwind_fp_step.
 */
static size_t unwind_fp_run(struct unwind *state, uint64_t *chain, size_t most)
{
    const uintptr_t text = arch_text_start(), text_size = arch_text_plain_end() - text;
    const uintptr_t behind_call = text + 1, last = state->high - FRAME_SIZE;
    uintptr_t fp = state->fp, low = state->low;
    uint64_t *at = chain, *const end = chain + most;

    if (unwind_is_exact(state) || state->ip - 1 - text >= text_size || !state->stack)
        return 0;
    while (fp >= low && fp <= last && fp % 8 == 0 && at < end) {
        uintptr_t return_address = unwind_read(fp + 8);

        if (return_address - behind_call >= text_size)
            break;
        *at++ = return_address;
        low = fp + FRAME_SIZE;
        fp = unwind_read(fp);
    }
    if (at > chain)
        state->ip = at[-1];
    if (fp == 0 && (at > chain || state->fp_known))
        unwind_stop(state, UNWIND_OUTERMOST);
    state->fp = fp;
    state->sp = state->low = low;
    return (size_t)(at - chain);
}

static size_t unwind_fp_capture(const struct regs *regs, uint64_t *chain, size_t most,
                                struct unwind_border *border)
{
    struct unwind state;

    unwind_start_by(UNWIND_BY_FRAME_POINTER, &state, regs);
    return unwind_capture_rest(&state, chain, 0, most, border);
}

const struct unwinder unwind_fp = {
    .step = unwind_fp_step, .capture = unwind_fp_capture, .run = unwind_fp_run};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains in another kernel, in place of core/unwind/default_orc.c: by the table, if there is
 * one, and by frame pointers, which its compiler must keep. Where the
 * table says nothing, a chain crosses only trap entries that the kernel has listed (`traps` of
 * struct pitot_kernel); without a table it ends at any other, because the frame pointer there
 * belongs to a function that the chain would not name.
 */
#include "arch/embed.h"
#include "core/embed/embed.h"
#include "core/lib/string.h"
#include "core/unwind/step.h"

/* The CPU's frame: Intel SDM vol. 3, "Stack Usage on Transfers to Handlers". */
struct cpu_frame {
    uint64_t ip, cs, flags, sp, ss;
};

/* Continues the chain in the context that the trap has interrupted. */
static void cross(struct unwind *state)
{
    uintptr_t bp = state->sp + arch_embed_frame_bp(), at = state->sp + arch_embed_frame_ip(),
              end = at + sizeof(struct cpu_frame);
    const struct cpu_frame *frame = (const struct cpu_frame *)at;

    if (!unwind_may_read(state, bp) || !unwind_may_read(state, at) ||
        !unwind_may_read(state, end - 8))
        return;
    state->fp = unwind_read(bp);
    state->fp_known = true;
    if (frame->cs & RING_OF_SELECTOR) {
        unwind_leave_kernel(state, frame->ip, frame->sp, state->fp, NULL);
        return;
    }
    state->low = end;
    unwind_enter(state, frame->ip, frame->sp, state->fp, NULL);
}

static bool read_text(const struct arch_stack *of, uintptr_t address, void *to, size_t length)
{
    (void)of;
    if (!unwind_in_text(address) || !unwind_in_text(address + length - 1))
        return false;
    memcpy(to, (const void *)address, length);
    return true;
}

/* Unwinds interrupted code. Passes no function start, which is unknown without symbols. */
static void leave_interrupted(struct unwind *state)
{
    enum arch_frame frame = arch_frame_read(read_text, state->stack, NULL, state->ip);

    if (frame == ARCH_FRAME_SET)
        unwind_fp.step(state);
    else
        unwind_return(state, state->sp + (frame == ARCH_FRAME_SAVED ? 8 : 0));
}

/* The first frame may be in the gate, which called Pitot. Later frames there end the chain. */
static void step_in_plain_code(struct unwind *state)
{
    bool called = state->kind == UNWIND_CALL;

    if (called && arch_embed_is_trap(state->ip))
        cross(state);
    else if (!state->regs && arch_embed_in_gate(state->ip - called))
        unwind_stop(state, UNWIND_IN_ENTRY);
    else if (state->kind == UNWIND_TRAP)
        leave_interrupted(state);
    else
        unwind_fp.step(state);
}

/* Entries that the assembler has not described are crossed as without a table. */
static void step_by_table(struct unwind *state)
{
    if (state->kind == UNWIND_CALL && arch_embed_is_trap(state->ip) && !embed_traps_wrong() &&
        unwind_orc_in_gap(state))
        cross(state);
    else
        unwind_orc.step(state);
}

static size_t run_by_table(struct unwind *state, uint64_t *chain, size_t most)
{
    return unwind_orc.run(state, chain, most);
}

static size_t capture_by_table(const struct regs *regs, uint64_t *chain, size_t most,
                               struct unwind_border *border)
{
    return unwind_orc.capture(regs, chain, most, border);
}

static const struct unwinder by_table = {
    .step = step_by_table, .capture = capture_by_table, .run = run_by_table};

/* Unwinds nothing, so all is left to `step`: fp.c's loop finds trap entries by their addresses. */
static size_t run_nowhere(struct unwind *state, uint64_t *chain, size_t most)
{
    (void)state, (void)chain, (void)most;
    return 0;
}

static size_t capture(const struct regs *regs, uint64_t *chain, size_t most,
                      struct unwind_border *border)
{
    return unwind_fp.capture(regs, chain, most, border);
}

static const struct unwinder by_frame_pointer = {
    .step = step_in_plain_code, .capture = capture, .run = run_nowhere};

const struct unwinder *const unwinders[UNWIND_METHODS] = {
    [UNWIND_BY_TABLE] = &by_table, [UNWIND_BY_FRAME_POINTER] = &by_frame_pointer};
/* pitot_start chooses its own method; console commands need the table. */
const enum unwind_method unwinder_method = UNWIND_BY_TABLE;

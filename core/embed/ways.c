/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains in another kernel: by the table, if there is one, and by frame pointers, which its
 * compiler was told to keep. In place of core/unwind/default_orc.c; read by unwind.c. What the
 * kernel's trap entries have saved is not known without a table: a chain by frame pointers ends
 * there, as the frame pointer that they leave is that of a function which the chain would not name.
 */
#include "arch/embed.h"
#include "core/unwind/step.h"

/* The first frame may be code of the gate's; of a later one there the caller is not known. */
static void step_in_plain_code(struct unwind *state)
{
    if (!state->regs && arch_embed_in_gate(state->ip - 1))
        unwind_stop(state, UNWIND_IN_ENTRY);
    else
        unwind_fp.step(state);
}

/* Each frame is looked at: the loop of fp.c knows entries by their place in the text. */
static size_t run_nowhere(struct unwind *state, uint64_t *chain, size_t most)
{
    (void)state;
    (void)chain;
    (void)most;
    return 0;
}

static size_t capture(const struct regs *regs, uint64_t *chain, size_t most,
                      struct unwind_border *border)
{
    return unwind_fp.capture(regs, chain, most, border);
}

static const struct unwind_way by_frame_pointer = {
    .step = step_in_plain_code, .capture = capture, .run = run_nowhere};

const struct unwind_way *const unwinder_ways[UNWIND_METHODS] = {
    [UNWIND_BY_TABLE] = &unwind_orc, [UNWIND_BY_FRAME_POINTER] = &by_frame_pointer};
const enum unwind_method unwinder_method = UNWIND_BY_FRAME_POINTER;

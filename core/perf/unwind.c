/* SPDX-License-Identifier: BSD-2-Clause */
/* The iterator: stacks, trap frames and reasons. Any context; see unwind.h. */
#include "core/perf/unwind.h"

#include "core/perf/unwind_step.h"

void unwind_stop(struct unwind *state, enum unwind_end end)
{
    state->end = end;
}

/*
 * Notes that the current stack is being left; false if `next` was left before, as a corrupt frame
 * could make us go round.
 */
static bool unwind_switch_stack(struct unwind *state, const struct arch_stack *next)
{
    for (unsigned i = 0; i < state->left_count; i++)
        if (state->left[i] == next)
            return false;
    if (state->stack) {
        if (state->left_count == sizeof(state->left) / sizeof(state->left[0]))
            return false;
        state->left[state->left_count++] = state->stack;
    }
    state->stack = next;
    state->low = next->low;
    state->high = next->high;
    return true;
}

/*
 * Goes on at regs: the start, or a trap frame on the way. A stack pointer in a guard page is legal:
 * runaway recursion has to be named, and its frames lie above.
 */
void unwind_enter_regs(struct unwind *state, const struct regs *regs)
{
    const struct arch_stack *stack = arch_stack_find(regs->sp);

    state->ip = regs->ip;
    state->sp = regs->sp;
    state->fp = regs->bp;
    state->regs = regs;
    state->exact = true;
    if (!stack) {
        /* the frame itself is known; the step from it finds out that nothing can be read */
        state->stack = NULL;
        return;
    }
    if (stack != state->stack && !unwind_switch_stack(state, stack))
        unwind_stop(state, UNWIND_STACK_TWICE);
    else if (regs->sp < state->low && regs->sp >= stack->low)
        unwind_stop(state, UNWIND_NOT_FORWARD);
    else if (regs->sp > state->low)
        state->low = regs->sp;
}

void unwind_start(struct unwind *state, const struct regs *regs)
{
    *state = (struct unwind){.end = UNWIND_RUNNING};
    unwind_enter_regs(state, regs);
}

void unwind_next(struct unwind *state)
{
    if (state->end == UNWIND_RUNNING)
        unwind_fp_step(state);
}

size_t unwind_capture(const struct regs *regs, uint64_t *chain, size_t most)
{
    struct unwind state;
    size_t count = 0;

    unwind_start(&state, regs);
    while (!unwind_done(&state) && count < most) {
        chain[count++] = state.ip;
        if (!state.exact)
            count += unwind_fp_run(&state, chain + count, most - count);
        unwind_next(&state);
    }
    return count;
}

const char *unwind_reason(enum unwind_end end)
{
    static const char *const reasons[] = {
        [UNWIND_RUNNING] = "more frames follow",
        [UNWIND_OUTERMOST] = "outermost frame",
        [UNWIND_NO_STACK] = "the stack pointer is in no known stack",
        [UNWIND_OUTSIDE_STACK] = "the next frame would lie outside the stack",
        [UNWIND_NOT_FORWARD] = "the next frame would lie below this one",
        [UNWIND_MISALIGNED] = "the frame pointer is not a multiple of 8",
        [UNWIND_NOT_CODE] = "the return address is not in the kernel's text",
        [UNWIND_STACK_TWICE] = "a trap frame leads back to a stack already left",
        [UNWIND_NO_FRAME_POINTER] = "a partial snapshot has no frame pointer",
        [UNWIND_IN_ENTRY] = "interrupted inside a trap entry, which has no frame",
    };

    return reasons[end];
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The iterator: stacks, trap frames and reasons. Any context; see unwind.h. */
#include "core/unwind/unwind.h"

#include "arch/snapshot.h"
#include "core/lib/assert.h"
#include "core/symbols/symbols.h"
#include "core/unwind/step.h"

/* Set by unwind_init; NULL: the method is not available. */
static const struct unwinder *possible[UNWIND_METHODS];

int unwind_init(struct refusal *why)
{
    int error = unwind_orc_init(why);

    possible[UNWIND_BY_FRAME_POINTER] = unwinders[UNWIND_BY_FRAME_POINTER];
    possible[UNWIND_BY_TABLE] = error ? NULL : unwinders[UNWIND_BY_TABLE];
    return error;
}

bool unwind_possible(enum unwind_method method)
{
    assert(method < UNWIND_METHODS);
    return possible[method] != NULL;
}

enum unwind_method unwind_default(void)
{
    return unwinder_method;
}

/*
 * Returns false if the chain has left `next` before, or has left too many stacks: a corrupt frame
 * could make it loop forever.
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

/* Accepts a stack pointer in a guard page: runaway recursion must be reported. */
void unwind_enter(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                  const struct regs *regs)
{
    const struct arch_stack *stack = arch_stack_find(sp);

    state->ip = ip;
    state->sp = sp;
    state->fp = fp;
    state->regs = regs;
    state->kind = UNWIND_TRAP;
    if (!stack) {
        /* This frame is valid; the step from it reads nothing. */
        state->stack = NULL;
        return;
    }
    if (stack != state->stack && !unwind_switch_stack(state, stack))
        unwind_stop(state, UNWIND_STACK_TWICE);
    else if (sp < state->low && sp >= stack->low)
        unwind_stop(state, UNWIND_NOT_FORWARD);
    else if (sp > state->low)
        state->low = sp;
}

void unwind_leave_kernel(struct unwind *state, uintptr_t ip, uintptr_t sp, uintptr_t fp,
                         const struct regs *regs)
{
    state->ip = ip;
    state->sp = sp;
    state->fp = fp;
    state->regs = regs;
    state->kind = UNWIND_TRAP;
    unwind_stop(state, UNWIND_USER);
}

bool unwind_may_read(struct unwind *state, uintptr_t address)
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

void unwind_enter_trap(struct unwind *state, uintptr_t address)
{
    const struct regs *regs;

    if (!unwind_may_read(state, address) || !unwind_may_read(state, address + sizeof(*regs) - 8))
        return;
    regs = (const struct regs *)address;
    if (regs_user_mode(regs)) {
        unwind_leave_kernel(state, regs->ip, regs->sp, regs->bp, regs);
        return;
    }
    /* A frame that points to itself must not loop forever. */
    state->low = address + sizeof(*regs);
    state->fp_known = true;
    unwind_enter(state, regs->ip, regs->sp, regs->bp, regs);
}

/* The call before the return address must be in the text. */
void unwind_return(struct unwind *state, uintptr_t slot)
{
    uintptr_t return_address;

    if (!unwind_may_read(state, slot))
        return;
    return_address = unwind_read(slot);
    if (!unwind_in_text(return_address - 1)) {
        unwind_stop(state, UNWIND_NOT_CODE);
        return;
    }
    state->low = slot + 8;
    state->ip = return_address;
    state->sp = slot + 8;
    state->regs = NULL;
    state->kind = UNWIND_CALL;
}

/*
 * Starts a chain. Unlike unwind_enter, need not check for a stack left before. Sets fields one by
 * one, because clearing the list of stacks is expensive. Ignores a program's sp, which may hold the
 * address of a kernel stack.
 */
static inline void unwind_begin(const struct unwinder *unwinder, struct unwind *state,
                                const struct regs *regs)
{
    bool user = regs_user_mode(regs);
    const struct arch_stack *stack = user ? NULL : arch_stack_find(regs->sp);

    state->ip = regs->ip;
    state->sp = regs->sp;
    state->fp = regs->bp;
    state->fp_known = !regs_are_partial(regs);
    state->kind = regs_are_full(regs)      ? UNWIND_TRAP
                  : regs_are_rewound(regs) ? UNWIND_CALL
                                           : UNWIND_SNAPSHOT;
    state->regs = regs;
    state->end = user ? UNWIND_USER : UNWIND_RUNNING;
    state->unwinder = unwinder;
    state->left_count = 0;
    state->stack = stack;
    state->low = stack && stack->low > regs->sp ? stack->low : regs->sp;
    state->high = stack ? stack->high : regs->sp;
}

/* True if both addresses are in the same function, or if one of them has no symbol. */
static bool unwind_same_function(uintptr_t one, uintptr_t other)
{
    struct symbol of_one, of_other;

    return !symbols_find_address(one, &of_one) || !symbols_find_address(other, &of_other) ||
           of_one.address == of_other.address;
}

/*
 * The function that took a partial snapshot has not returned yet, so a walk from here reaches its
 * frame and recovers its frame pointer. That frame is the outermost one that begins at or below the
 * snapshot's sp, because a frame of variable size may have grown since. If the function has
 * returned, the walk finds another function's frame.
 */
__attribute__((noinline)) bool unwind_find_fp(struct unwind *state)
{
    struct unwind here = {.fp_known = true, .kind = UNWIND_SNAPSHOT, .unwinder = state->unwinder};
    bool reached = false, passed = false;
    uintptr_t ip = 0;

    ARCH_HERE(here.ip, here.sp, here.fp);
    here.stack = arch_stack_find(here.sp);
    here.low = here.sp;
    here.high = here.stack ? here.stack->high : here.sp;
    while (!unwind_done(&here) && !passed) {
        if (here.stack && here.stack == state->stack && here.sp <= state->sp) {
            state->fp = here.fp;
            ip = here.ip - !unwind_is_exact(&here);
            reached = true;
        } else {
            passed = reached;
        }
        unwind_next(&here);
    }
    state->fp_known = reached && (passed || unwind_is_whole(&here)) &&
                      unwind_same_function(ip, state->ip - !unwind_is_exact(state));
    if (!state->fp_known)
        unwind_stop(state, UNWIND_NO_FRAME_POINTER);
    return state->fp_known;
}

void unwind_start_by(enum unwind_method method, struct unwind *state, const struct regs *regs)
{
    unwind_begin(possible[method], state, regs);
}

void unwind_start(struct unwind *state, const struct regs *regs)
{
    unwind_start_by(unwinder_method, state, regs);
}

void unwind_next(struct unwind *state)
{
    if (state->end != UNWIND_RUNNING)
        return;
    if (state->unwinder)
        state->unwinder->step(state);
    else
        unwind_stop(state, UNWIND_NO_WAY);
}

size_t unwind_capture_rest(struct unwind *state, uint64_t *chain, size_t count, size_t most,
                           struct unwind_border *border)
{
    if (count > 0)
        unwind_next(state);
    while (!unwind_done(state) && count < most) {
        chain[count++] = state->ip;
        if (state->unwinder)
            count += state->unwinder->run(state, chain + count, most - count);
        unwind_next(state);
    }
    border->crossed = state->end == UNWIND_USER;
    if (border->crossed)
        *border = (struct unwind_border){.crossed = true,
                                         .ip = state->ip,
                                         .sp = state->sp,
                                         .fp = state->fp,
                                         .stack = state->stack};
    return count;
}

/* Without an unwinder the chain has one frame. */
__attribute__((noinline)) static size_t
unwind_capture_after(unsigned skip, const struct unwinder *unwinder, const struct regs *regs,
                     uint64_t *chain, size_t most, struct unwind_border *border)
{
    struct unwind state;
    size_t count;

    unwind_begin(unwinder, &state, regs);
    for (; skip > 0 && !unwind_done(&state); skip--)
        unwind_next(&state);
    count = unwind_capture_rest(&state, chain, 0, most, border);
    border->skip = skip;
    return count;
}

static size_t unwind_capture_impossible(const struct regs *regs, uint64_t *chain, size_t most,
                                        struct unwind_border *border)
{
    return unwind_capture_after(0, NULL, regs, chain, most, border);
}

unwind_capture_function *unwind_capture_of(enum unwind_method method)
{
    return possible[method] ? possible[method]->capture : unwind_capture_impossible;
}

size_t unwind_capture_border(enum unwind_method method, const struct regs *regs, unsigned skip,
                             uint64_t *chain, size_t most, struct unwind_border *border)
{
    if (skip == 0 && most > 1)
        return unwind_capture_of(method)(regs, chain, most, border);
    return unwind_capture_after(skip, possible[method], regs, chain, most, border);
}

size_t unwind_capture_by(enum unwind_method method, const struct regs *regs, unsigned skip,
                         uint64_t *chain, size_t most)
{
    struct unwind_border border;

    return unwind_capture_border(method, regs, skip, chain, most, &border);
}

bool unwind_rewind(enum unwind_method method, struct regs *regs, unsigned callers)
{
    struct unwind state;

    unwind_start_by(method, &state, regs);
    while (callers-- > 0 && !unwind_done(&state))
        unwind_next(&state);
    if (unwind_done(&state))
        return false;
    if (state.regs) {
        *regs = *state.regs;
        return true;
    }
    /* The general registers hold the inner frame's values, so they are not kept. */
    *regs = (struct regs){.ip = state.ip,
                          .sp = state.sp,
                          .bp = state.fp_known ? state.fp : 0,
                          .flags = regs_snapshot_flags(regs->flags),
                          .cs = regs->cs,
                          .ss = regs->ss,
                          .vector = unwind_is_exact(&state) ? 0 : REGS_REWOUND};
    return true;
}

const char *unwind_kind_name(enum unwind_kind kind)
{
    static const char *const names[] = {
        [UNWIND_SNAPSHOT] = "here", [UNWIND_TRAP] = "trap", [UNWIND_CALL] = "call"};

    assert(kind < sizeof(names) / sizeof(names[0]));
    return names[kind];
}

const char *unwind_reason(enum unwind_end end)
{
    static const char *const reasons[] = {
        [UNWIND_RUNNING] = "more frames follow",
        [UNWIND_OUTERMOST] = "outermost frame",
        [UNWIND_USER] = "the kernel was entered here",
        [UNWIND_NO_STACK] = "the stack pointer is in no known stack",
        [UNWIND_OUTSIDE_STACK] = "the next frame would lie outside the stack",
        [UNWIND_NOT_FORWARD] = "the next frame would lie below this one",
        [UNWIND_MISALIGNED] = "the stack or frame pointer is not a multiple of 8",
        [UNWIND_NOT_CODE] = "the return address is not in the kernel's text",
        [UNWIND_STACK_TWICE] = "a trap frame leads back to a stack already left",
        [UNWIND_NO_FRAME_POINTER] = "a partial snapshot, of a function that is not found here",
        [UNWIND_NO_REGISTER] = "the frame is counted from a register that is not known here",
        [UNWIND_NO_RULE] = "the unwind table says nothing of this address",
        [UNWIND_NO_WAY] = "no unwind table, and built without frame pointers",
        [UNWIND_IN_ENTRY] = "interrupted inside a trap entry, which has no frame pointer",
    };

    assert(end < sizeof(reasons) / sizeof(reasons[0]) && reasons[end]); /* each end has a reason */
    return reasons[end];
}

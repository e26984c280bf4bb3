/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least that unwinding can cost: a walk along frame pointers, once without checks, and once
 * with the checks that are needed if a stack may be corrupt.
 */
#include "arch/regs.h"
#include "arch/unwind.h"
#include "tests/bench/unwind/methods.h"

/* Memory at a frame pointer. */
struct frame {
    const struct frame *caller;
    uint64_t return_address;
};

static size_t walk_unchecked(const struct regs *regs, uint64_t *addresses, size_t most)
{
    const struct frame *frame = (const struct frame *)regs->bp;
    size_t count = 0;

    addresses[count++] = regs->ip;
    for (; frame && count < most; frame = frame->caller)
        addresses[count++] = frame->return_address;
    return count;
}

/* In the stack, aligned, and above the previous frame. */
static size_t walk_checked(const struct regs *regs, uint64_t *addresses, size_t most)
{
    const struct arch_stack *stack = arch_stack_find(regs->sp);
    const uintptr_t last = stack->high - sizeof(struct frame);
    uintptr_t low = regs->sp, at = regs->bp;
    size_t count = 0;

    addresses[count++] = regs->ip;
    while (at >= low && at <= last && at % 8 == 0 && count < most) {
        const struct frame *frame = (const struct frame *)at;

        addresses[count++] = frame->return_address;
        low = at + sizeof(*frame);
        at = (uintptr_t)frame->caller;
    }
    return count;
}

const struct method method_unchecked = {
    .name = "frame pointers, unchecked", .run = chain_framed, .capture = walk_unchecked};
const struct method method_checked = {
    .name = METHOD_BASELINE, .run = chain_framed, .capture = walk_checked};

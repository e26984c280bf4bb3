/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the distances in `traps` of struct pitot_kernel are right: chains by frame pointers would
 * end at an entry, or leave out callers, if they were not. In pitot_tick, which is given what the
 * timer's interrupt has interrupted.
 */
#include "core/embed/embed.h"

#include "arch/embed.h"
#include "core/host.h"

#define CALLERS 16 /* from pitot_tick to the entry */

static const char *wrong; /* written in an interrupt */

/* Each function on the way has a frame, as `traps` are for kernels with frame pointers. */
struct frame {
    const struct frame *caller;
    uintptr_t returns;
};

static uint64_t word_at(uintptr_t sp, unsigned distance)
{
    return *(const uint64_t *)(sp + distance);
}

static void check(const struct pitot_trap *trap, uintptr_t sp, uintptr_t high,
                  const struct pitot_regs *regs)
{
    unsigned last = trap->frame + 4 * sizeof(uint64_t);

    if (last < trap->frame || last > high - sp - 8 || trap->bp > high - sp - 8 ||
        word_at(sp, trap->frame) != regs->ip || word_at(sp, last - 8) != regs->sp)
        wrong = "traps of struct pitot_kernel: `frame` is not the distance to the CPU's frame in "
                "the timer's entry";
    else if (word_at(sp, trap->bp) != regs->bp)
        wrong = "traps of struct pitot_kernel: `bp` is not the distance to the interrupted rbp in "
                "the timer's entry";
}

bool embed_traps_check(const struct pitot_regs *interrupted)
{
    const struct frame *frame = __builtin_frame_address(0);
    unsigned long low, high;

    if (!host.stack || !host.stack((uintptr_t)frame, &low, &high))
        return false;
    for (unsigned i = 0; i < CALLERS; i++) {
        const struct pitot_trap *trap;

        if ((uintptr_t)frame < low || (uintptr_t)frame > high - sizeof(*frame))
            return false;
        /* The interrupt's own entry is in no row, and the rows beyond are of outer interrupts. */
        if (interrupted->sp >= low && interrupted->sp < (uintptr_t)(frame + 1))
            return false;
        trap = arch_embed_trap(frame->returns);
        if (trap) {
            check(trap, (uintptr_t)(frame + 1), high, interrupted);
            return true;
        }
        if (arch_embed_in_gate(frame->returns))
            return false;
        frame = frame->caller;
    }
    return false;
}

const char *embed_traps_wrong(void)
{
    return wrong;
}

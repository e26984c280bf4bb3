/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether `frame` and `traps` of struct pitot_kernel are right, as far as the timer's interrupt
 * shows: what pitot_tick is given must look like a frame, and lie on top of the stack where an
 * entry in `traps` calls, or chains by frame pointers would end there, or leave out callers.
 */
#include "core/embed/embed.h"

#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/regs.h"
#include "arch/snapshot.h"
#include "core/host.h"

#define CALLERS  16           /* from pitot_tick to the entry */
#define TICKS_NS 100000000ull /* in which one should come */

/* Written in an interrupt. */
static const char *wrong_frame, *wrong_traps;

/* Each function on the way has a frame, as `traps` are for kernels with frame pointers. */
struct frame {
    const struct frame *caller;
    uintptr_t returns;
};

static bool is_on_top(uintptr_t sp, uintptr_t high, const struct regs *regs)
{
    const void *frame = (const void *)sp;

    return arch_embed_frame_size() <= high - sp &&
           arch_embed_word(frame, offsetof(struct regs, ip)) == regs->ip &&
           arch_embed_word(frame, offsetof(struct regs, sp)) == regs->sp &&
           arch_embed_word(frame, offsetof(struct regs, bp)) == regs->bp;
}

/* Returns false if no entry of the list is on the stack. */
static bool check_traps(const struct frame *frame, const struct regs *interrupted)
{
    unsigned long low, high;

    if (!host.stack || !host.stack((uintptr_t)frame, &low, &high))
        return false;
    for (unsigned i = 0; i < CALLERS; i++) {
        if ((uintptr_t)frame < low || (uintptr_t)frame > high - sizeof(*frame))
            return false;
        /* The interrupt's own entry is in no row, and the rows beyond are of outer interrupts. */
        if (interrupted->sp >= low && interrupted->sp < (uintptr_t)(frame + 1))
            return false;
        if (arch_embed_is_trap(frame->returns)) {
            if (!is_on_top((uintptr_t)(frame + 1), high, interrupted))
                wrong_traps = "traps of struct pitot_kernel: `frame` does not lie on top of the "
                              "stack where the timer's entry calls";
            return true;
        }
        if (arch_embed_in_gate(frame->returns))
            return false;
        frame = frame->caller;
    }
    return false;
}

/* Written in task context, but for CROSSED, in an interrupt. */
static enum { UNASKED, ASKED, CROSSED } chain_check;

static bool chain_crosses(const struct regs *interrupted, enum unwind_method method)
{
    struct unwind chain;
    struct regs here;

    REGS_SNAPSHOT(&here);
    for (unwind_start_by(method, &chain, &here); !unwind_done(&chain); unwind_next(&chain))
        if (chain.kind == UNWIND_TRAP && chain.ip == interrupted->ip)
            return true;
    return false;
}

void embed_chain_try(const struct regs *interrupted, enum unwind_method method)
{
    if (__atomic_load_n(&chain_check, __ATOMIC_RELAXED) == ASKED &&
        chain_crosses(interrupted, method))
        __atomic_store_n(&chain_check, CROSSED, __ATOMIC_RELAXED);
}

bool embed_chain_crosses(void)
{
    uint64_t began = arch_clock_ns();

    __atomic_store_n(&chain_check, ASKED, __ATOMIC_RELAXED);
    while (__atomic_load_n(&chain_check, __ATOMIC_RELAXED) == ASKED &&
           arch_clock_ns() - began < TICKS_NS)
        arch_relax();
    return __atomic_exchange_n(&chain_check, UNASKED, __ATOMIC_RELAXED) == CROSSED;
}

bool embed_traps_check(const void *given, const struct regs *interrupted)
{
    if (!arch_embed_is_frame(given)) {
        wrong_frame =
            "frame of struct pitot_kernel: there is no CPU's frame at `ip` in the timer's "
            "interrupt";
        return true;
    }
    return check_traps(__builtin_frame_address(0), interrupted);
}

const char *embed_frame_wrong(void)
{
    return wrong_frame;
}

const char *embed_traps_wrong(void)
{
    return wrong_frame ? wrong_frame : wrong_traps;
}

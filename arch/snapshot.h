/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hot snapshot: the registers at the very place that takes it, inlined there, for call chains
 * without a trap. Bit 1 of flags is clear, unlike in a trap frame (regs.h). unwind_rewind moves a
 * snapshot to a caller. Any context.
 *
 *     REGS_SNAPSHOT(into)            ip, sp, bp, flags, cs, ss
 *     REGS_SNAPSHOT_PARTIAL(into)    ip, sp, cs, ss; flags and bp are 0: enough for a chain that is
 *                                    made before the function with the snapshot returns
 *     ARCH_HERE(ip, sp, bp)          only these, into 64-bit variables
 */
#pragma once

#include "arch/regs.h"
#include "arch/site.h"

/* Returns the flags. Not inline, as a push would move sp without the compiler's knowledge. */
uint64_t arch_flags(void);

/* A kernel context whose other registers are unknown. */
#define REGS_OF_KERNEL ((struct regs){.cs = KERNEL_CODE_SELECTOR, .ss = KERNEL_DATA_SELECTOR})

#define ARCH_HERE(here_ip, here_sp, here_bp)                                                       \
    __asm__ volatile("lea 0(%%rip), %0\n\t"                                                        \
                     "mov %%rsp, %1\n\t"                                                           \
                     "mov %%rbp, %2"                                                               \
                     : "=&r"(here_ip), "=&r"(here_sp), "=&r"(here_bp))

#define REGS_SNAPSHOT(into)                                                                        \
    do {                                                                                           \
        struct regs *snapshot_regs = (into);                                                       \
        *snapshot_regs = REGS_OF_KERNEL;                                                           \
        snapshot_regs->flags = regs_snapshot_flags(arch_flags());                                  \
        ARCH_HERE(snapshot_regs->ip, snapshot_regs->sp, snapshot_regs->bp);                        \
    } while (0)

#define REGS_SNAPSHOT_PARTIAL(into)                                                                \
    do {                                                                                           \
        struct regs *snapshot_regs = (into);                                                       \
        *snapshot_regs = REGS_OF_KERNEL;                                                           \
        __asm__ volatile("lea 0(%%rip), %0\n\t"                                                    \
                         "mov %%rsp, %1"                                                           \
                         : "=&r"(snapshot_regs->ip), "=&r"(snapshot_regs->sp));                    \
    } while (0)

/*
 * Stores a gate's caller. Clearing the other registers, too, would take a quarter of a hit's time.
 */
static inline void regs_at_place(struct regs *into, const struct arch_place *place)
{
    into->ip = place->ip;
    into->cs = KERNEL_CODE_SELECTOR;
    into->flags = regs_snapshot_flags(place->flags);
    into->sp = (uintptr_t)(place + 1);
    into->ss = KERNEL_DATA_SELECTOR;
    into->bp = place->bp;
    into->vector = REGS_REWOUND;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hot snapshot: the registers of the very place that takes it, for call chains that begin in the
 * middle of a function instead of in a trap. Inline at the site, so that ip and sp are the caller's
 * own. Bit 1 of flags stays clear: that tells a snapshot from a trap frame
 * (arch/x86_64/cpu/regs.h). Any context.
 *
 *     REGS_SNAPSHOT(into)            ip, sp, bp, flags, cs, ss
 *     REGS_SNAPSHOT_PARTIAL(into)    ip, sp, cs, ss; flags and bp are 0: enough for a chain that is
 *                                    made before the function with the snapshot returns
 *
 * unwind_rewind moves one to a caller.
 */
#pragma once

#include "core/unwind/unwind.h"

/*
 * Reads the flags register; an assembly leaf, as a push in inline assembly would move sp under the
 * compiler's feet.
 */
uint64_t arch_flags(void);

#define REGS_SNAPSHOT(into)                                                                        \
    do {                                                                                           \
        struct regs *snapshot_regs = (into);                                                       \
        *snapshot_regs = (struct regs){.cs = KERNEL_CODE_SELECTOR, .ss = KERNEL_DATA_SELECTOR};    \
        snapshot_regs->flags = arch_flags() & ~FLAGS_FIXED;                                        \
        __asm__ volatile("lea 0(%%rip), %0\n\t"                                                    \
                         "mov %%rsp, %1\n\t"                                                       \
                         "mov %%rbp, %2"                                                           \
                         : "=&r"(snapshot_regs->ip), "=&r"(snapshot_regs->sp),                     \
                           "=&r"(snapshot_regs->bp));                                              \
    } while (0)

#define REGS_SNAPSHOT_PARTIAL(into)                                                                \
    do {                                                                                           \
        struct regs *snapshot_regs = (into);                                                       \
        *snapshot_regs = (struct regs){.cs = KERNEL_CODE_SELECTOR, .ss = KERNEL_DATA_SELECTOR};    \
        __asm__ volatile("lea 0(%%rip), %0\n\t"                                                    \
                         "mov %%rsp, %1"                                                           \
                         : "=&r"(snapshot_regs->ip), "=&r"(snapshot_regs->sp));                    \
    } while (0)

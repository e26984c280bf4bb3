/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's call chain of the place where gdb has stopped the CPU, for gdb to read. Nothing in
 * the kernel calls this: tests/boot/gdb_chain.t sets gdb_chain_stop, sends the CPU to
 * gdb_chain_entry (tests/kernel/gdb_chain.asm) and compares gdb_chain with its own backtrace. Any
 * context, on its own stack, interrupts off.
 */
#include "arch/regs.h"
#include "core/unwind/unwind.h"

#define FRAMES_MAX 128

/* Values that only gdb knows once the CPU has arrived. */
__attribute__((used)) static volatile struct {
    uint64_t ip, flags;
} gdb_chain_stop;

/* Written here, read by gdb. */
__attribute__((used)) static volatile struct {
    struct {
        uint64_t ip, sp, fp;
    } frames[FRAMES_MAX]; /* by the iterator */
    size_t length;
    unsigned traps, stacks; /* that the chain leads through */
    enum unwind_end end;
    bool captured; /* unwind_capture_by gives the same chain */
} gdb_chain;

void gdb_chain_unwind(struct regs *regs); /* called by tests/kernel/gdb_chain.asm */

static bool captured_same(const struct regs *regs)
{
    static uint64_t chain[FRAMES_MAX];
    size_t length = unwind_capture_by(UNWIND_BY_TABLE, regs, 0, chain, FRAMES_MAX);

    if (length != gdb_chain.length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (chain[i] != gdb_chain.frames[i].ip)
            return false;
    return true;
}

/* `regs` holds everything that the CPU does not push. */
void gdb_chain_unwind(struct regs *regs)
{
    struct unwind state;
    size_t length = 0;
    unsigned traps = 0;

    regs->ip = gdb_chain_stop.ip;
    regs->flags = gdb_chain_stop.flags;
    regs->cs = KERNEL_CODE_SELECTOR;
    regs->ss = KERNEL_DATA_SELECTOR;
    regs->vector = regs->error = 0;
    unwind_start_by(UNWIND_BY_TABLE, &state, regs);
    for (; !unwind_done(&state) && length < FRAMES_MAX; unwind_next(&state), length++) {
        gdb_chain.frames[length].ip = state.ip;
        gdb_chain.frames[length].sp = state.sp;
        gdb_chain.frames[length].fp = state.fp;
        traps += length > 0 && unwind_is_exact(&state);
    }
    gdb_chain.length = length;
    gdb_chain.traps = traps;
    gdb_chain.stacks = state.left_count + 1;
    gdb_chain.end = state.end;
    gdb_chain.captured = captured_same(regs);
}

/* For gdb's NMIs, which no other handler serves: without it they would end in a report. */
__attribute__((used)) static void gdb_chain_nmi(struct regs *regs)
{
    (void)regs;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains of the running kernel: from a snapshot, through an interrupt, and the short form of
 * the proof (docs/proof.md), for machines that are too slow for the long one.
 */
#include "arch/cpu.h"
#include "arch/snapshot.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"
#include "kernel/sched/thread.h"
#include "kernel/time/ticks.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/proof_claims.h"
#include "tests/kernel/proof_work.h"

#define CHAIN_MAX 100

static struct {
    const struct thread *thread; /* whose chain it is */
    uint64_t chain[CHAIN_MAX];
    size_t length;
} tick_chain;

/*
 * The tick may have interrupted another thread: kworker/0 finishes the deferred work of the proof's
 * files.
 */
static void capture_tick(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    (void)breakpoint;
    (void)address;
    if (thread_current() == tick_chain.thread)
        tick_chain.length =
            unwind_capture_by(unwind_default(), regs, 0, tick_chain.chain, CHAIN_MAX);
}

static bool chain_names(const char *name)
{
    struct symbol symbol;

    for (size_t i = 0; i < tick_chain.length; i++)
        if (symbols_find_address(tick_chain.chain[i] - (i > 0), &symbol) &&
            strcmp(symbol.name, name) == 0)
            return true;
    return false;
}

/* Not inlined: its name is searched for. */
__attribute__((noinline)) static void claim_through_interrupt(void)
{
    struct breakpoint breakpoint = {.address = (uintptr_t)&ticks,
                                    .length = 8,
                                    .access = ARCH_WRITE,
                                    .owner = "suite",
                                    .hit = capture_tick};
    struct refusal why;

    tick_chain.thread = thread_current();
    if (!ktap_ok(breakpoint_install(&breakpoint, &why) == 0, "ticks can be watched"))
        return;
    while (tick_chain.length == 0)
        arch_relax();
    breakpoint_remove(&breakpoint);
    ktap_ok(chain_names("ticks_count"), "a hit in an interrupt: the chain begins in the handler");
    ktap_ok(chain_names("trap_entry"), "... shows the entry");
    ktap_ok(chain_names("claim_through_interrupt"), "... and goes on in what was interrupted");
    ktap_ok(chain_names("kernel_main"), "... down to the outermost caller");
}

__attribute__((noinline)) static void claim_snapshot(void)
{
    struct regs regs;
    struct unwind state;
    struct symbol symbol = {.name = ""};

    REGS_SNAPSHOT(&regs);
    ktap_ok(!regs_are_full(&regs), "a snapshot's flags have bit 1 clear");
    unwind_start(&state, &regs);
    symbols_find_address(state.ip, &symbol);
    ktap_ok(strcmp(symbol.name, "claim_snapshot") == 0,
            "its chain begins in the function that took it");
    unwind_next(&state);
    symbols_find_address(state.ip - 1, &symbol);
    ktap_ok(strcmp(symbol.name, "unwind_claims") == 0, "... and goes on in its caller");
}

static void unwind_claims(void)
{
    const struct proof_plan plan = {.work = work_short, .nmis = 100, .gap = 4096};

    claim_snapshot();
    proof_claim(&plan);
    claim_through_interrupt();
}

KTAP_SUITE(unwind, "call chains from snapshots, through interrupts, and step by step");

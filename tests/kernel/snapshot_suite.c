/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots of the running kernel: complete, partial and rewound ones begin the same chain, if the
 * kernel's unwinder can begin one there.
 */
#include "arch/snapshot.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"
#include "tests/kernel/ktap.h"

#define CHAIN_MAX 64

struct chain {
    uint64_t ip[CHAIN_MAX];
    size_t count;
};

/* Static, so that they are not on the stack under test. */
static struct chain whole, other;

static void capture(const struct regs *regs, struct chain *chain)
{
    chain->count = unwind_capture_by(unwind_default(), regs, 0, chain->ip, CHAIN_MAX);
}

/* True if frame `from` of one chain and all after it are the other's last frames. */
static bool ends_alike(const struct chain *chain, size_t from, const struct chain *tail)
{
    return from < chain->count && chain->count - from == tail->count &&
           memcmp(chain->ip + from, tail->ip, tail->count * sizeof(tail->ip[0])) == 0;
}

static bool is_in(uintptr_t address, const char *name)
{
    struct symbol symbol;

    return symbols_find_address(address, &symbol) && strcmp(symbol.name, name) == 0;
}

static enum unwind_end end_of(const struct regs *regs, uintptr_t *last)
{
    struct unwind state;

    for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state))
        *last = state.ip;
    return state.end;
}

__attribute__((noinline)) static void claim_partial(void)
{
    struct regs regs;
    struct chain *behind = &other;
    uintptr_t last = 0;

    REGS_SNAPSHOT(&regs);
    capture(&regs, &whole);
    REGS_SNAPSHOT_PARTIAL(&regs);
    ktap_ok(regs.flags == 0 && regs.bp == 0, "a partial snapshot has flags and bp 0");
    ktap_ok(is_in(regs.ip, "claim_partial"), "... and begins where it is taken");
    capture(&regs, behind);
    memmove(behind->ip, behind->ip + 1, (behind->count - 1) * sizeof(behind->ip[0]));
    behind->count--;
    ktap_ok(ends_alike(&whole, 1, behind), "... its callers are the whole snapshot's");
    ktap_equal(end_of(&regs, &last), UNWIND_OUTERMOST, "... and its chain is whole");
}

static struct regs left; /* a partial snapshot of a function that has returned */

__attribute__((noinline)) static void leave_partial(size_t size)
{
    volatile char *room = __builtin_alloca(size);

    REGS_SNAPSHOT_PARTIAL(&left);
    room[size - 1] = 0;
}

/*
 * Both from a function that is called in the middle of its caller, and from one called at its end.
 */
__attribute__((noinline)) static void claim_skip(void)
{
    struct regs regs;

    REGS_SNAPSHOT(&regs);
    capture(&regs, &whole);
    for (unsigned skip = 1; skip < 4; skip++) {
        REGS_SNAPSHOT(&regs);
        unwind_rewind(unwind_default(), &regs, skip);
        ktap_ok(regs_are_rewound(&regs), "a snapshot rewound by %u knows that it is", skip);
        capture(&regs, &other);
        ktap_ok(ends_alike(&whole, skip, &other), "... and its chain begins at that caller");
    }
    REGS_SNAPSHOT(&regs);
    unwind_rewind(unwind_default(), &regs, 0);
    ktap_ok(!regs_are_rewound(&regs) && is_in(regs.ip, "claim_skip"),
            "rewound by 0 it is where it was taken");
    unwind_rewind(unwind_default(), &regs, (unsigned)whole.count);
    ktap_ok(is_in(regs.ip, "claim_skip"), "with fewer callers than that it stays there, too");
}

/*
 * The caller's frame pointer is not available: a variable-length frame is relative to it in every
 * build.
 */
__attribute__((noinline)) static void claim_variable_frame(size_t size)
{
    volatile char *room = __builtin_alloca(size);
    struct regs regs;
    uintptr_t last = 0;

    room[size - 1] = 1;
    REGS_SNAPSHOT(&regs);
    ktap_equal(end_of(&regs, &last), UNWIND_OUTERMOST,
               "a snapshot in a frame of variable size has a whole chain");
    ktap_ok(is_in(last, "boot_entry_high"), "... down to where the kernel begins");
    REGS_SNAPSHOT_PARTIAL(&regs);
    last = 0;
    ktap_equal(end_of(&regs, &last), UNWIND_OUTERMOST,
               "a partial one finds the frame pointer that it is counted from");
    ktap_ok(is_in(last, "boot_entry_high"), "... and has a whole chain, too");
    leave_partial(size);
    ktap_equal(end_of(&left, &last), UNWIND_NO_FRAME_POINTER,
               "... one of a function that has returned has not, and reports it");
    room[0] = room[size - 1];
}

static void snapshot_claims(void)
{
    static volatile size_t size = 100;

    claim_partial();
    claim_skip();
    claim_variable_frame(size);
}

KTAP_SUITE(snapshot, "whole, partial and rewound snapshots");

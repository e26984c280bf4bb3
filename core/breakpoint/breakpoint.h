/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only arbiter of the debug registers, for perf events and all other users. A breakpoint
 * requests a call when [address, address + length) is written, read or executed. Breakpoints on
 * overlapping bytes share a register, whatever their lengths and accesses, and each receives its
 * own hits; a range of up to 32 bytes may take several registers. The tracepoint breakpoint:hit
 * reports what a hit changed, and by which instruction.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/watch.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/tracepoint/tracepoint.h"

#define BREAKPOINT_LENGTH_MAX 32
#define BREAKPOINT_OWNERS_MAX 16 /* per register */
#define BREAKPOINT_OWNER_SIZE 96

struct breakpoint;

/*
 * Called once per trap for each breakpoint that was hit. `address` is the one in the register: the
 * breakpoint's own, or that of one of its parts. Debug trap: no lock, no allocation, no fault.
 */
typedef void breakpoint_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs);

/*
 * Selects address spaces: those of the processes that run `program` and have the id `pid`; a member
 * that is 0 selects any. If both are 0, the kernel's.
 */
struct breakpoint_target {
    const void *program; /* struct pitot_program */
    uint32_t pid;
};

/*
 * The caller sets the members before `slots` and must not change them until breakpoint_remove: the
 * debug trap uses a copy of `hit`.
 */
struct breakpoint {
    uintptr_t address;
    size_t length; /* 1 to 32; ARCH_EXECUTE: 1 */
    enum arch_access access;
    struct breakpoint_target target;
    /* Shown when another breakpoint is refused: "perf mem:kernel_flag:rw". */
    char owner[BREAKPOINT_OWNER_SIZE];
    breakpoint_hit *hit;
    bool hit_in_doubt; /* also report hits that may belong to another breakpoint instead */

    unsigned slots; /* bit i: register i watches a part; an access to two parts counts once */
    /* Hits that may belong to this breakpoint but were not reported to it. Any CPU, atomically. */
    uint64_t doubtful;
};

/*
 * Returns 0; -EINVAL (length, alignment of a part, not canonical, an execute breakpoint outside
 * code), -EFAULT (not mapped), -EPERM (overlaps memory that the debug trap uses), -ENOSPC (names
 * the owners of the registers), -ETIMEDOUT (a CPU does not answer). Takes effect on every CPU or on
 * none. Task context.
 */
int breakpoint_install(struct breakpoint *breakpoint, struct refusal *why);

/* No hit is reported after this returns. Task context. */
void breakpoint_remove(struct breakpoint *breakpoint);

/* Prints a line per register: what it watches, and for which owners. */
void breakpoint_print(struct sink *sink);

/*
 * Check that debug registers hold the watches armed there (arch_watch_audit), since a disarmed
 * watch misses hits silently. Rearm lapsed watches, and count how often that was necessary.
 * breakpoint_audit is called for this CPU in each tick interrupt, breakpoint_audit_all with the
 * other CPUs parked.
 */
void breakpoint_audit(unsigned cpu);
void breakpoint_audit_all(void);

/* Returns the number of registers in use, 0 to ARCH_WATCHES. */
unsigned breakpoint_used(void);

/* Connects the arbiter to the debug trap. Called at boot. */
void breakpoint_init(void);

/*
 * The tracepoint breakpoint:hit, raised in the debug trap, once per register that hit. `old`: the
 * bytes at the register's last hit, or when it was armed; `new`: now; both are 0 for x. `insn`: the
 * instruction that made the access, 0 if `how` is "unknown" (docs/unwinding.md).
 */
extern struct pitot_tracepoint tracepoint_breakpoint_hit;

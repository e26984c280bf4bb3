/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one arbiter of debug registers, for perf events and any other code that asks. A breakpoint
 * requests a call when [address, address + length) is written, read or executed. Breakpoints on
 * overlapping bytes share a register, whatever their lengths and accesses, and each is told of its
 * own hits; a range of up to 32 bytes is spread over several registers. What is not possible is
 * refused when it is set, with the reason. The tracepoint breakpoint:hit tells what a hit did to
 * the bytes, and by which instruction (core/breakpoint/trace.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/watch.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"

#define BREAKPOINT_LENGTH_MAX 32
#define BREAKPOINT_OWNERS_MAX 16 /* of one register */
#define BREAKPOINT_OWNER_SIZE 96

struct breakpoint;

/*
 * A hit: called once in a trap for each breakpoint that contains the access. `address` is the
 * address in the register that hit: the breakpoint's own, or that of a part of it. Runs in the
 * debug trap: no lock, no allocation, no fault.
 */
typedef void breakpoint_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs);

/*
 * The address space that the address belongs to. All zero: the kernel's. Otherwise: a program's, in
 * every process that runs it; or the one of the process with this pid.
 */
struct breakpoint_target {
    const void *program; /* struct host_program; NULL: not by program */
    uint32_t pid;        /* 0: not by process */
};

/*
 * Memory of the caller. The caller fills the first part, and changes neither part until
 * breakpoint_remove: the trap has a copy of `hit`.
 */
struct breakpoint {
    uintptr_t address;
    size_t length; /* 1 to 32; ARCH_EXECUTE: 1 */
    enum arch_access access;
    struct breakpoint_target target;
    char owner[BREAKPOINT_OWNER_SIZE]; /* shown in refusals of other breakpoints: "perf
                                        * mem:kernel_flag:rw" */
    breakpoint_hit *hit;
    /*
     * It is also told of hits that may belong either to it or to another one on the same register.
     */
    bool hit_in_doubt;

    /* bit i: register i watches one of its parts; if one access hits two, it counts once */
    unsigned slots;
    /* Hits that may have been its own, but of which it was not told. Any CPU, atomically. */
    uint64_t doubtful;
};

/*
 * 0; -EINVAL (length, alignment of a part, not canonical, an execute breakpoint on what is not
 * code), -EFAULT (not mapped), -EPERM (overlaps what the debug trap itself uses), -ENOSPC (names
 * the owners of the registers), -ETIMEDOUT (a CPU does not answer). All or nothing, on every CPU or
 * on none. Task context.
 */
int breakpoint_install(struct breakpoint *breakpoint, struct refusal *why);

/* The last owner of a register frees it. Task context; no hit comes after it. */
void breakpoint_remove(struct breakpoint *breakpoint);

/* One line a register: what it watches and for which owners. */
void breakpoint_print(struct sink *sink);

/* How many registers are in use, 0 to ARCH_WATCHES. */
unsigned breakpoint_used(void);

/* Connects the arbiter to the debug trap. Boot. */
void breakpoint_init(void);

/*
 * What the host knows about processes. Set at boot; until then breakpoints of programs are refused.
 */
struct breakpoint_processes {
    /* True if the thread that runs on that CPU belongs to the target. Any context. */
    bool (*runs)(unsigned cpu, const struct breakpoint_target *target);
    /*
     * Reads memory of the process that runs on that CPU, which is this one or parked; false if not
     * all of it is mapped. Any context.
     */
    bool (*read)(unsigned cpu, uintptr_t address, void *to, size_t length);
    /* As arch_program_candidates, which it is for a kernel of this machine. Debug trap. */
    unsigned (*candidates)(const struct regs *regs, const struct arch_watch *watch,
                           struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);
    /* Refuses an impossible place, with the errors of breakpoint_install. Task context. */
    int (*refuse_place)(const struct breakpoint *breakpoint, struct refusal *why);
};
void breakpoint_set_processes(const struct breakpoint_processes *with);

/*
 * This CPU has switched to another thread: from here on its registers watch for that thread. Called
 * by the scheduler with interrupts off, when the new thread is the current one.
 */
void breakpoint_switch(void);

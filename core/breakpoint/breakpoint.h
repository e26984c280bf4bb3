/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one arbiter of debug registers, for perf events and any other code that asks. A breakpoint
 * asks for a call when [address, address + length) is written, read or executed. Breakpoints on
 * overlapping bytes share a register, whatever their lengths and accesses, and each is told of its
 * own hits; a range of up to 32 bytes is spread over several. What cannot be had is refused when it
 * is set, with the reason. What a hit did to the bytes, and which instruction it was, the
 * tracepoint breakpoint:hit tells (core/breakpoint/trace.h).
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
 * A hit: once a trap for each breakpoint that contains the access. `address` is where the register
 * that hit points: the breakpoint's own address, or that of a part of it. Runs in the debug trap:
 * no lock, no allocation, no fault.
 */
typedef void breakpoint_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs);

/*
 * The address space that the address belongs to. All zero: the kernel's. Otherwise a program's, in
 * every process that runs it; or that of the process with this pid.
 */
struct breakpoint_target {
    const void *program; /* struct host_program; NULL: not by program */
    uint32_t pid;        /* 0: not by process */
};

/*
 * The caller's memory; it fills the first part and stays away from the second until
 * breakpoint_remove.
 */
struct breakpoint {
    uintptr_t address;
    size_t length; /* 1 to 32; ARCH_EXECUTE: 1 */
    enum arch_access access;
    struct breakpoint_target target;
    char owner[BREAKPOINT_OWNER_SIZE]; /* for refusals of others: "perf mem:kernel_flag:rw" */
    breakpoint_hit *hit;
    /* It is told of hits, too, that may be its or another's on the same register. */
    bool hit_in_doubt;

    /* bit i: register i is one of its parts; two that are hit by one access count once */
    unsigned slots;
    /* Hits that may have been its, and of which it was not told: any CPU, atomically. */
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

/* Registers in use, 0 to ARCH_WATCHES. */
unsigned breakpoint_used(void);

/* Connects the arbiter to the debug trap. Boot. */
void breakpoint_init(void);

/* What the host knows of processes. Set at boot; until then breakpoints of programs are refused. */
struct breakpoint_processes {
    /* The thread that runs on that CPU is one of the target's. Any context. */
    bool (*runs)(unsigned cpu, const struct breakpoint_target *target);
    /* Memory of the process that runs on this CPU; false: not all of it is there. Any context. */
    bool (*read)(uintptr_t address, void *to, size_t length);
    /* As breakpoint_install, of the place. Task context. */
    int (*refuse_place)(const struct breakpoint *breakpoint, struct refusal *why);
};
void breakpoint_set_processes(const struct breakpoint_processes *with);

/*
 * This CPU has switched to another thread: its registers watch for that one from here on.
 * Interrupts off; called by the scheduler when the new thread is the current one.
 */
void breakpoint_switch(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which owners hold which debug register: what the files of core/breakpoint share. Changed with all
 * CPUs parked and watches disarmed; read in the debug trap of any CPU, and by what has the CPUs
 * parked.
 */
#pragma once

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"
#include "core/breakpoint/plan.h"

/* One register. Aligned so that finding one takes a shift only. */
struct slot {
    _Alignas(512) struct arch_watch watch;
    struct breakpoint *owners[BREAKPOINT_OWNERS_MAX];
    unsigned owner_count;
    /*
     * The word with the watched bytes, and what was in it at the last hit of any CPU, or when it
     * was armed. All of it, as every hit pays for this, and few are listened to.
     */
    const volatile uint64_t *word;
    uint64_t shadow; /* exchanged by each hit */
    /* A program's: memory is each process's own, so the shadow is user_shadow, and word is not. */
    bool user;
    struct breakpoint_target target;
    struct arch_watch parts[BREAKPOINT_OWNERS_MAX]; /* what each owner wants of it */
};

struct slot_table {
    struct slot slot[ARCH_WATCHES];
    unsigned count;
    /*
     * A hit need not belong to all owners of a register that is reported, or not to them alone:
     * core/breakpoint/share.c then decides.
     */
    bool shared;
    bool lowest_only; /* if an access matches several registers, the machine reports one */
};

extern struct slot_table breakpoint_slots;

/* Finds out what each combination of registers that fire comes to, once the table has changed. */
void breakpoint_ways_make(void);

extern unsigned breakpoint_live[ARCH_CPUS_MAX]; /* bit i: register i is. [owning CPU; parked] */

/*
 * All CPUs are parked. 0; or -ENOSPC and why, and nothing has changed. What is installed can
 * always be removed.
 */
int breakpoint_table_install(struct breakpoint *breakpoint, struct refusal *why);
void breakpoint_table_remove(const struct breakpoint *breakpoint);

/*
 * The word of a program's register in the process that runs here: takes the old one, leaves and
 * returns the new one. Debug trap.
 */
uint64_t breakpoint_user_exchange(const struct slot *slot, uint64_t *old);

/* Raises breakpoint:hit, if a listener is there. */
void breakpoint_trace(const struct slot *slot, uint64_t old, uint64_t new, const struct regs *regs);

extern const struct breakpoint_processes *breakpoint_processes; /* set at boot */
extern const char *const breakpoint_access_letters[];

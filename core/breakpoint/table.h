/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which owners hold which debug register: what the files of core/breakpoint share. Changed with all
 * CPUs parked and watches disarmed; read in the debug trap of any CPU, and by code that has parked
 * the CPUs.
 */
#pragma once

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"
#include "core/breakpoint/plan.h"

/* One register. Aligned so that its address is found by a shift. */
struct slot {
    _Alignas(512) struct arch_watch watch;
    struct breakpoint *owners[BREAKPOINT_OWNERS_MAX];
    unsigned owner_count;
    /*
     * The word with the watched bytes, and its value at the last hit on any CPU, or when it was
     * armed. The whole word, not only the bytes: every hit pays for this, and few hits have a
     * listener.
     */
    const volatile uint64_t *word;
    uint64_t shadow; /* exchanged by each hit */
    /*
     * It watches a program: each process has its own memory, so user_shadow is used, and `word` is
     * not.
     */
    bool user;
    struct breakpoint_target target;
    struct arch_watch parts[BREAKPOINT_OWNERS_MAX]; /* what each owner wants this register to
                                                     * watch */
};

struct slot_table {
    struct slot slot[ARCH_WATCHES];
    unsigned count;
    /*
     * A hit may belong to only some owners of the reported register, or also to owners of another
     * one: then core/breakpoint/share.c decides.
     */
    bool shared;
    bool lowest_only; /* if an access matches several registers, the machine reports only one */
    bool grouped;     /* one trap may report several iterations of a repeated instruction */
};

extern struct slot_table breakpoint_slots;

/*
 * Prepares what happens for each combination of registers that may fire. Called after the table has
 * changed.
 */
void breakpoint_handlers_make(void);

extern unsigned breakpoint_live[ARCH_CPUS_MAX]; /* bit i: register i is live. [owning CPU;
                                                 * parked] */

/*
 * Called with all CPUs parked. Returns 0, or -ENOSPC and the reason, and then nothing has changed.
 * An installed breakpoint can always be removed.
 */
int breakpoint_table_install(struct breakpoint *breakpoint, struct refusal *why);
void breakpoint_table_remove(const struct breakpoint *breakpoint);

/*
 * For a register that watches a program: stores the last known word of the running process in *old,
 * and notes and returns the present one. Debug trap.
 */
uint64_t breakpoint_user_exchange(const struct slot *slot, uint64_t *old);

/* True if the trap with these registers may report several iterations. Debug trap. */
bool breakpoint_is_group(const struct regs *regs);

/* Raises breakpoint:hit, if there is a listener. */
void breakpoint_trace(const struct slot *slot, uint64_t old, uint64_t new, const struct regs *regs);

extern const struct breakpoint_processes *breakpoint_processes; /* set at boot */
extern const char *const breakpoint_access_letters[];

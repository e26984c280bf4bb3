/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug registers and their owners, shared by the files of core/breakpoint. Changed with all
 * CPUs parked and watches disarmed; read in the debug trap of any CPU, and by code that has parked
 * the CPUs.
 */
#pragma once

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"
#include "core/breakpoint/plan.h"

/* One register. Aligned so that indexing needs only a shift. */
struct slot {
    _Alignas(512) struct arch_watch watch;
    struct breakpoint *owners[BREAKPOINT_OWNERS_MAX];
    unsigned owner_count;
    /*
     * The word that holds the watched bytes, and its value at the last hit on any CPU, or when it
     * was armed. The whole word rather than only the bytes, because every hit pays for this and few
     * hits have a listener.
     */
    const volatile uint64_t *word;
    uint64_t shadow; /* exchanged by each hit */
    /*
     * Watches a program: each process has its own memory, so user_shadow is used instead of `word`.
     */
    bool user;
    struct breakpoint_target target;
    /* What each owner wants this register to watch. */
    struct arch_watch parts[BREAKPOINT_OWNERS_MAX];
};

struct slot_table {
    struct slot slot[ARCH_WATCHES];
    unsigned count;
    /*
     * A hit may belong to only some owners of the reported register, or also to owners of another
     * register; core/breakpoint/share.c decides.
     */
    bool shared;
    bool lowest_only; /* if an access matches several registers, the machine reports only one */
    bool grouped;     /* one trap may report several iterations of a repeated instruction */
};

extern struct slot_table breakpoint_slots;

/*
 * Prepares the handler for each combination of registers that may fire. Called after each change of
 * the table.
 */
void breakpoint_handlers_make(void);

/* Bit i: register i is live. [owning CPU; parked] */
extern unsigned breakpoint_live[ARCH_CPUS_MAX];

/*
 * Called with all CPUs parked. Returns 0, or -ENOSPC and the reason, with nothing changed. An
 * installed breakpoint can always be removed.
 */
int breakpoint_table_install(struct breakpoint *breakpoint, struct refusal *why);
void breakpoint_table_remove(const struct breakpoint *breakpoint);

/*
 * For a register that watches a program: stores the last known word of the running process in *old,
 * then records and returns the present word. Debug trap.
 */
uint64_t breakpoint_user_exchange(const struct slot *slot, uint64_t *old);

/* True if the trap with these registers may report several iterations. Debug trap. */
bool breakpoint_is_group(const struct regs *regs);

/* Raises breakpoint:hit, if there is a listener. */
void breakpoint_trace(const struct slot *slot, uint64_t old, uint64_t new, const struct regs *regs);

extern const struct breakpoint_processes *breakpoint_processes; /* set at boot */
extern const char *const breakpoint_access_letters[];

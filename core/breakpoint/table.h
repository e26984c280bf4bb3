/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug registers and their owners, for core/breakpoint. Changed with all CPUs parked and
 * watches disarmed; read in the debug trap of any CPU, and with all CPUs parked.
 */
#pragma once

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"
#include "core/breakpoint/plan.h"

/* A register. Aligned so that indexing needs only a shift. */
struct slot {
    _Alignas(512) struct arch_watch watch;
    struct breakpoint *owners[BREAKPOINT_OWNERS_MAX];
    unsigned owner_count;
    /* The whole word that holds the watched bytes: to extract them would slow every hit. */
    const volatile uint64_t *word;
    uint64_t shadow; /* *word at the last hit on any CPU, or when armed; exchanged by each hit */
    uint64_t seen;   /* *word at the last trap, if the table is shared and there is one CPU */
    bool user;       /* watches a program, by user_shadow instead of `word` */
    struct breakpoint_target target;
    struct arch_watch parts[BREAKPOINT_OWNERS_MAX]; /* what each owner wants to watch here */
};

struct slot_table {
    struct slot slot[ARCH_WATCHES];
    unsigned count;
    bool shared;      /* core/breakpoint/share.c determines the owners of a hit */
    bool lowest_only; /* if an access matches several registers, the machine reports only one */
    bool grouped;     /* one trap may report several iterations of a repeated instruction */
    bool beside;      /* the machine may report a register that the access did not touch */
};

extern struct slot_table breakpoint_slots;

/* Makes the handler of each combination of registers that may fire, for a changed table. */
void breakpoint_handlers_make(void);

/* Bit i: register i is live. [owning CPU; others while it is parked] */
extern unsigned breakpoint_live[ARCH_CPUS_MAX];

/* Called with all CPUs parked. Returns 0, or -ENOSPC and the reason, with nothing changed. */
int breakpoint_table_install(struct breakpoint *breakpoint, struct refusal *why);
void breakpoint_table_remove(const struct breakpoint *breakpoint);

/*
 * Records and returns the program's present word. Stores the word recorded before in *old. Debug
 * trap.
 */
uint64_t breakpoint_user_exchange(const struct slot *slot, uint64_t *old);

/* True if the trap with these registers may report several iterations. Debug trap. */
bool breakpoint_is_group(const struct regs *regs);

/* Determines the owners of a hit and reports it to them (core/breakpoint/share.c). Debug trap. */
void breakpoint_share(unsigned fired, struct regs *regs);

/* Raises breakpoint:hit, if there is a listener. */
void breakpoint_trace(const struct slot *slot, uint64_t old, uint64_t new, const struct regs *regs);

extern const char *const breakpoint_access_letters[];

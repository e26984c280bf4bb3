/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug registers and their owners, for core/breakpoint. Changed with all CPUs parked and
 * watches disarmed; read in the debug trap of any CPU, and with all CPUs parked.
 */
#pragma once

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"

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

/*
 * --- The plan (plan.c): which registers watch all bytes of a set of breakpoints
 * (docs/breakpoints.md, "Sharing"). It depends only on the set, not on what was installed and
 * removed before. ---
 */

#define BREAKPOINT_PARTS_MAX 8 /* for one breakpoint: 32 bytes from an odd address */

/* What one register can watch, in one address space. */
struct breakpoint_range {
    struct arch_watch watch;
    const struct breakpoint_target *target; /* points into a breakpoint */
};

struct breakpoint_parts {
    struct breakpoint_range part[BREAKPOINT_PARTS_MAX];
    unsigned count;
};

struct breakpoint_parts breakpoint_split(const struct breakpoint *breakpoint);

#define PLAN_MAX 48 /* more than there are registers, because a plan may need too many */

struct breakpoint_plan {
    struct breakpoint_range reg[PLAN_MAX];
    unsigned count;
};

/* Returns false if PLAN_MAX is too small. */
bool breakpoint_plan_add(struct breakpoint_plan *plan, const struct breakpoint *breakpoint);

/*
 * Sorts the plan into the order in which the registers must be filled (core/breakpoint/share.c).
 * Reduces it to `most` registers if possible, by letting one register watch several ranges of a
 * word and the bytes between them.
 */
void breakpoint_plan_squeeze(struct breakpoint_plan *plan, unsigned most);

/* Index of the register that watches this part, which must be in the plan. */
unsigned breakpoint_plan_find(const struct breakpoint_plan *plan,
                              const struct breakpoint_range *part);

bool breakpoint_watch_equal(const struct arch_watch *left, const struct arch_watch *right);
bool breakpoint_watch_covers(const struct arch_watch *outer, const struct arch_watch *inner);

/* True if some plan watches both with one register. */
bool breakpoint_parts_may_meet(const struct breakpoint_range *left,
                               const struct breakpoint_range *right);

bool breakpoint_target_is_kernel(const struct breakpoint_target *target);

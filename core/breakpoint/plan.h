/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the debug registers have to watch, so that each of a set of wishes has its bytes watched
 * (docs/breakpoints.md, "Sharing"). Pure: the same set gives the same registers, whatever was set
 * and removed before. Called by core/breakpoint/table.c.
 */
#pragma once

#include <stdbool.h>

#include "core/breakpoint/breakpoint.h"

#define BREAKPOINT_PARTS_MAX 8 /* of one breakpoint: 32 bytes from an odd address */

/* What a register would have to watch for one breakpoint alone. */
struct breakpoint_parts {
    struct arch_watch watch[BREAKPOINT_PARTS_MAX];
    unsigned count;
};

struct breakpoint_parts breakpoint_split(const struct breakpoint *breakpoint);

/* More than there are registers: a plan may be one that cannot be had. */
#define PLAN_MAX 48

struct breakpoint_register {
    struct arch_watch watch;
    const struct breakpoint_target *target; /* a breakpoint's */
};

struct breakpoint_plan {
    struct breakpoint_register reg[PLAN_MAX];
    unsigned count;
};

/* The plan has what it had, and watches for this breakpoint, too. False: PLAN_MAX is too few. */
bool breakpoint_plan_add(struct breakpoint_plan *plan, const struct breakpoint *breakpoint);

/*
 * Makes do with `most` registers, where possible, by watching with one what lies in one word, and
 * bytes between.
 */
void breakpoint_plan_squeeze(struct breakpoint_plan *plan, unsigned most);

/* In the order in which registers are to be filled; see core/breakpoint/share.h. */
void breakpoint_plan_sort(struct breakpoint_plan *plan);

/* Which register watches this part of a breakpoint. It is planned for. */
unsigned breakpoint_plan_find(const struct breakpoint_plan *plan, const struct arch_watch *part,
                              const struct breakpoint_target *target);

/* True if some plan watches for both with one register. */
bool breakpoint_parts_may_meet(const struct arch_watch *left,
                               const struct breakpoint_target *left_target,
                               const struct arch_watch *right,
                               const struct breakpoint_target *right_target);

/* True if both are the same process or program, or both the kernel's. */
bool breakpoint_target_equal(const struct breakpoint_target *left,
                             const struct breakpoint_target *right);
bool breakpoint_target_is_kernel(const struct breakpoint_target *target);

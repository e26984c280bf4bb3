/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns debug registers so that all bytes of a set of breakpoints are watched
 * (docs/breakpoints.md, "Sharing"). The result depends only on the set, not on what was installed
 * and removed before. Called by core/breakpoint/table.c.
 */
#pragma once

#include <stdbool.h>

#include "core/breakpoint/breakpoint.h"

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeated string instructions (`rep movsb`) on machines that trap once for a group of iterations:
 * which bytes the group accessed. QEMU from 10.0 runs all iterations at once, unless its clock
 * counts instructions, and traps after the last; so may processors (Intel SDM vol. 3, "Data
 * Breakpoint Exception Condition"). For accessor.c and program_candidates.c, in the debug trap;
 * pure.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* The most iterations of a group: QEMU looks for traps after so many. */
#define GROUP_MOST 65536

/* The most bytes that a group's accesses reach. */
#define GROUP_REACH (GROUP_MOST * sizeof(uint64_t))

/* What arch_watch_groups has found; true until then (machine.c). Any context. */
bool group_is_possible(void);

/* True if a repeated string instruction begins there; of one with more prefixes, perhaps. */
bool group_is_repeated(const uint8_t instruction[ARCH_REPEAT_AROUND]);

/*
 * Extends the accesses of a group's last iteration, of which one or an earlier one has hit `watch`,
 * to those that the group certainly made, and may have made. If neither explains the hit they stay.
 */
void group_widen(struct arch_made made[ARCH_MADE_MAX], unsigned count,
                 const struct arch_watch *watch, const struct regs *regs);

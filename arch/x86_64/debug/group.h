/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes which bytes a repeated string instruction (`rep movsb`) accessed on machines that trap
 * once for a group of iterations. QEMU from 10.0 runs all iterations at once, unless its clock
 * counts instructions, and traps after the last; processors may do the same (Intel SDM vol. 3,
 * "Data Breakpoint Exception Condition"). For accessor.c and program_candidates.c, in the debug
 * trap; pure.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* Maximum iterations of a group: QEMU checks for traps after this many. */
#define GROUP_MOST 65536

/* Maximum number of bytes that a group's accesses span. */
#define GROUP_REACH (GROUP_MOST * sizeof(uint64_t))

/* The result of arch_watch_groups; true until that has run (machine.c). Any context. */
bool group_is_possible(void);

/* True if a repeated string instruction begins there; inexact if it has more prefixes. */
bool group_is_repeated(const uint8_t instruction[ARCH_REPEAT_AROUND]);

/*
 * Extends the accesses of a group's last iteration to those that the group certainly made and those
 * that it may have made. The last or an earlier iteration has hit `watch`; if no iteration explains
 * the hit, the accesses stay unchanged.
 */
void group_widen(struct arch_made made[ARCH_MADE_MAX], unsigned count,
                 const struct arch_watch *watch, const struct regs *regs);

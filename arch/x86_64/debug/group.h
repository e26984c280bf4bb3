/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds which bytes a repeated string instruction accessed, on machines that trap once for a group
 * of iterations: QEMU from 10.0, unless its clock counts instructions, and perhaps processors
 * (Intel SDM vol. 3, "Data Breakpoint Exception Condition"). Debug trap; pure.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* Maximum number of iterations in a group, after which QEMU checks for traps. */
#define GROUP_MOST 65536

#define GROUP_REACH (GROUP_MOST * sizeof(uint64_t))

/*
 * True if a repeated string instruction begins there; may be wrong if its prefixes exceed the
 * bytes.
 */
bool group_is_repeated(const uint8_t instruction[ARCH_REPEAT_AROUND]);

/*
 * Extends the accesses of a group's last iteration to those that the group certainly made and those
 * that it may have made. Unchanged if no iteration explains the hit on `watch`.
 */
void group_widen(struct arch_made made[ARCH_MADE_MAX], unsigned count,
                 const struct arch_watch *watch, const struct regs *regs);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which accesses a machine reports to a watch: those that touch its bytes. QEMU before 8.1 also
 * reports unaligned ones beside them (docs/breakpoints.md, "Machines"). Debug trap; pure.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* What loads of up to 8 bytes may be reported to the watch: those that begin in this range. */
uintptr_t report_first(const struct arch_watch *watch);
uintptr_t report_last(const struct arch_watch *watch);

/* True if this machine may have reported this access of an instruction to the watch. */
bool report_explains(const struct arch_watch *watch, uintptr_t address, size_t size, bool writes);

/* The same for accesses that may be at an unknown place, or in a group. */
bool report_explains_made(const struct arch_watch *watch, const struct arch_made *made);

/*
 * --- Which bytes a repeated string instruction accessed, on machines that trap once for a group of
 * iterations: QEMU from 10.0, unless its clock counts instructions, and perhaps processors (Intel
 * SDM vol. 3, "Data Breakpoint Exception Condition"). ---
 */

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which accesses a machine reports to a watch: those that touch its bytes. QEMU before 8.1 also
 * reports unaligned ones beside them (docs/breakpoints.md, "Machines"). Debug trap; pure.
 */
#pragma once

#include "arch/watch.h"

/* What loads of up to 8 bytes may be reported to the watch: those that begin in this range. */
uintptr_t report_first(const struct arch_watch *watch);
uintptr_t report_last(const struct arch_watch *watch);

/* True if this machine may have reported this access of an instruction to the watch. */
bool report_explains(const struct arch_watch *watch, uintptr_t address, size_t size, bool writes);

/* The same for accesses that may be at an unknown place, or in a group. */
bool report_explains_made(const struct arch_watch *watch, const struct arch_made *made);

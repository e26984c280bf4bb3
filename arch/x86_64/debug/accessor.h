/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the instruction that made the access that a debug trap reports. See arch_watch_accessor in
 * arch/watch.h, which calls this with the kernel's own map. Only for the kernel's own memory: the
 * watched bytes, and the page that contains them, are read.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/insn_map.h"

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch);

/* All data accesses of that instruction; 0: it is not found, or its accesses are not known. */
unsigned accessor_made(const struct insn_map *map, const struct regs *regs,
                       const struct arch_watch *watch, struct arch_made made[ARCH_MADE_MAX]);

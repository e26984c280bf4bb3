/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the instruction that made the access a debug trap reports. Called by arch_watch_accessor
 * (arch/watch.h) with the kernel's own map. Only for the kernel's own memory: reads the watched
 * bytes and the page that contains them.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/insn_map.h"

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch);

/* All data accesses of that instruction; 0 if it is not found or its accesses are unknown. */
unsigned accessor_made(const struct insn_map *map, const struct regs *regs,
                       const struct arch_watch *watch, struct arch_made made[ARCH_MADE_MAX]);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the instruction whose access to the kernel's memory raised a debug trap. */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/insn_map.h"

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch);

/*
 * Stores the data accesses of that instruction. Returns their number; 0 if the instruction or its
 * accesses are unknown.
 */
unsigned accessor_made(const struct insn_map *map, const struct regs *regs,
                       const struct arch_watch *watch, struct arch_made made[ARCH_MADE_MAX]);

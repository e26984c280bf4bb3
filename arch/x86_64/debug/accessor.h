/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the instruction whose access to the kernel's memory raised a debug trap. */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/insn_map.h"
#include "arch/x86_64/debug/operand.h"

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch);

/*
 * Stores the data accesses of each instruction that may have raised it, one candidate for each.
 * Returns their number; 0 if an instruction or its accesses are unknown, or if there are too many.
 */
unsigned accessor_candidates(const struct insn_map *map, const struct regs *regs,
                             const struct arch_watch *watch,
                             struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/* --- Between accessor.c and accessor_made.c. --- */

/* One path that may have led to ip. */
struct accessor_way {
    uintptr_t ip; /* the instruction; 0: a jump or a return that read ip at `read` */
    enum arch_found found;
    uintptr_t read;
};

/* All of them. If `count` is above ARCH_CANDIDATES_MAX, some are not stored. */
struct accessor_ways {
    struct accessor_way way[ARCH_CANDIDATES_MAX];
    unsigned count;
    bool others; /* other instructions are possible, too */
};

struct accessor_ways accessor_ways(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch);

/* Returns where the call reads its target; 0 if not from memory. `behind`: its return address. */
uintptr_t accessor_call_operand(const struct regs *regs, const struct operand_opcode *call,
                                uintptr_t behind);

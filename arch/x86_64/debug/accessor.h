/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the instruction whose access to the kernel's memory raised a debug trap. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/operand.h"
#include "core/abi/insn_map.h"

/* --- Lookups in the instruction map, safe even if it is corrupt. Any context: insn_map.c. --- */

/* A zeroed map covers nothing. */
struct insn_map {
    uintptr_t text;
    uint32_t text_size;
    const uint8_t *codes;
};

struct insn_map_expected {
    const uint8_t *build_id; /* INSN_MAP_BUILD_ID_SIZE bytes */
    uintptr_t text, text_end;
};

/* Returns NULL, or why *map covers nothing. `bytes` is aligned to 8 and must stay valid. */
const char *insn_map_open(struct insn_map *map, const void *bytes, size_t room,
                          const struct insn_map_expected *expected);

/* Returns INSN_INSIDE for an address that the map does not cover. */
enum insn_code insn_map_code(const struct insn_map *map, uintptr_t address);

/* Returns the instruction that ends right before `address`; 0 if none does. */
uintptr_t insn_map_before(const struct insn_map *map, uintptr_t address);

/* Distinguish the two meanings of INSN_CALL_OR_REPEATED; false for other codes. */
bool insn_map_is_call(const struct insn_map *map, uintptr_t address);
bool insn_map_is_repeated(const struct insn_map *map, uintptr_t address);

/* --- The instruction. --- */

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

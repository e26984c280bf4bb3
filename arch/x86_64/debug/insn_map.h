/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookups in the instruction map (core/abi/insn_map.h), safe even if it is corrupt. Any context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/insn_map.h"

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

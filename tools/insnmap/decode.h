/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One instruction of 64-bit code, as far as the map needs to know it: its length, its code, where
 * it may jump to. The one file that knows the disassembler. Called by map.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/insn_map.h"

struct decoded {
    uint8_t length;
    uint8_t code;    /* enum insn_code */
    bool padding;    /* does nothing, or is never meant to run */
    bool has_target; /* a jump or call to a place that stands in the instruction, */
    int64_t target;  /* counted from the instruction's first byte */
};

/*
 * NULL; or why the map cannot tell of what begins at `bytes`, of which `left` are there: no
 * instruction, or one that would make answers wrong.
 */
const char *decode(const uint8_t *bytes, size_t left, struct decoded *decoded);

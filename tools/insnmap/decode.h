/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes one instruction of 64-bit code for the map: length, code, jump target. Only decode.c uses
 * the disassembler. Called by map.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/insn_map.h"

struct decoded {
    uint8_t length;
    uint8_t code;    /* enum insn_code */
    bool padding;    /* does nothing, or must never run */
    bool has_target; /* a direct jump or call */
    int64_t target;  /* from the instruction's first byte */
};

/*
 * Decodes the instruction at `bytes`, of which `left` are present. Returns NULL, or why the map
 * cannot describe it: it is no instruction, or one that would make answers wrong.
 */
const char *decode(const uint8_t *bytes, size_t left, struct decoded *decoded);

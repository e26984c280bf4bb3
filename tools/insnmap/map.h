/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of a text in memory, one code per byte, unpacked. Called by main.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/abi/insn_map.h"
#include "tools/image/text.h"

/*
 * Fills `codes`, which has text->size bytes. Returns false, with a complaint, unless the text
 * consists of functions of whole instructions with padding between them, and symbols and jumps lead
 * to first bytes of instructions.
 *
 * With `gaps`, reports each fault on stderr, and leaves out its function: all of the function's
 * bytes are INSN_PLAIN, so no access is attributed to it.
 */
bool map_make(const struct text *text, uint8_t *codes, bool gaps);

/* --- One instruction of 64-bit code: decode.c, which alone uses the disassembler. --- */

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

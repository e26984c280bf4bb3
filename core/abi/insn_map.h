/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instruction map inside the image: tools/insnmap writes it from the linked kernel's text, and
 * arch/x86_64/debug/insn_map.c finds the instruction before an address with it, without
 * disassembly. docs/unwinding.md describes its use. Little endian:
 *
 *   struct insn_map_header
 *   uint8_t[(text_size + 3) / 4]   two bits per byte of text; the lowest bits are for text + 0
 *
 * Each byte between functions counts as an INSN_PLAIN instruction. So INSN_INSIDE marks only bytes
 * inside an instruction, and no instruction is longer than INSN_LENGTH_MAX bytes.
 */
#pragma once

#include <stdint.h>

#define INSN_MAP_MAGIC         0x4d494e50u /* "PNIM" */
#define INSN_MAP_VERSION       1
#define INSN_MAP_BUILD_ID_SIZE 20

struct insn_map_header {
    uint32_t magic;
    uint32_t version;
    uint8_t build_id[INSN_MAP_BUILD_ID_SIZE]; /* of the image it was made from */
    uint32_t size;                            /* total, including this header */
    uint64_t text;                            /* address of the first byte covered */
    uint32_t text_size;                       /* bytes covered */
    uint32_t unused;                          /* 0 */
};

_Static_assert(sizeof(struct insn_map_header) == 48, "the format has no hidden padding");

enum insn_code {
    INSN_INSIDE, /* no instruction begins here */
    INSN_PLAIN,  /* accesses no data, or does not continue at its end */
    INSN_ACCESS, /* accesses data, explicitly or implicitly, and continues at its end */
    /* A call; or, with a repeat prefix, a string instruction, which may continue at its start. */
    INSN_CALL_OR_REPEATED,
};

#define INSN_LENGTH_MAX   15 /* Intel SDM vol. 2, "Instruction Format" */
#define INSN_MAP_PER_BYTE 4

/*
 * Returns 1 if the first of `left` bytes begin an instruction with a repeat prefix, F2 or F3, which
 * may come after those of operand size, address size and segment: assemblers differ.
 */
static inline int insn_has_repeat(const uint8_t *bytes, uintptr_t left)
{
    for (uintptr_t i = 0; i < left && i < INSN_LENGTH_MAX; i++) {
        if ((bytes[i] & 0xfe) == 0xf2)
            return 1;
        if (bytes[i] > 0x67 || (bytes[i] < 0x64 && (bytes[i] & 0xe7) != 0x26))
            return 0;
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind table inside the image: tools/orcgen writes it from the linked kernel's call frame
 * information (.eh_frame), core/unwind/table.c reads it. A rule for every instruction of the text
 * says how to compute the CFA (the caller's sp after the call has returned), and where the caller's
 * frame pointer is. docs/unwinding.md discusses alternatives.
 *
 * Little endian; all offsets count from the start of the header. Parts, each at a multiple of 4:
 *
 *   struct unwind_table_header
 *   uint32_t[block_count + 1]          per UNWIND_BLOCK bytes of text: the rule of the first byte,
 *                                      and the index of the block's first row
 *   struct unwind_row[row_count]       where a different rule begins inside a block
 *   struct unwind_rule[rule_count]     rules that a code cannot express
 *   struct unwind_exception[exception_count]  rows whose rule has no code, sorted by offset
 *
 * A rule's code is one byte:
 *
 *   000wwwww          CFA = sp + 8 * (w + 1), the frame pointer is the caller's
 *   kkkwwwww, k 1-5   CFA = sp + 8 * (w + 1), the caller's frame pointer is at CFA - 8 * (k + 1);
 *                     k <= w, so that it lies in [sp, CFA - 8)
 *   11rrrrrr, r < 63  rule r of the list
 *   11111111          the last exception at or below the address has the rule's number
 *
 * With the first two codes the return address is at CFA - 8.
 */
#pragma once

#include <stdint.h>

#define UNWIND_TABLE_MAGIC         0x57554e50u /* "PNUW" */
#define UNWIND_TABLE_VERSION       2
#define UNWIND_TABLE_BUILD_ID_SIZE 20

#define UNWIND_BLOCK_SHIFT 7
#define UNWIND_BLOCK       (1u << UNWIND_BLOCK_SHIFT)

struct unwind_table_header {
    uint32_t magic;
    uint32_t version;
    uint8_t build_id[UNWIND_TABLE_BUILD_ID_SIZE]; /* of the image it was made from */
    uint32_t size;                                /* total, including this header */
    uint64_t text;                                /* address of the first byte covered */
    uint32_t text_size;                           /* bytes covered; text after them has no rule */
    uint32_t crc32; /* of the whole table, with this field as 0 (core/lib/crc32.h) */
    uint32_t block_count, row_count, rule_count, exception_count;
    uint32_t blocks, rows, rules, exceptions;
};

_Static_assert(sizeof(struct unwind_table_header) == 80, "the format has no hidden padding");

/* A block's rows end where the next block's begin. One more word, without a code, ends the last. */
#define UNWIND_BLOCK_WORD(row, code) ((uint32_t)(row) << 8 | (code))
#define UNWIND_BLOCK_ROW(word)       ((word) >> 8)
#define UNWIND_BLOCK_CODE(word)      ((uint8_t)(word))
#define UNWIND_ROWS_MAX              ((1u << 24) - 1)

/* The code that applies from byte `start` of its block on (1 to 127, ascending). */
struct unwind_row {
    uint8_t code;
    uint8_t start;
};

_Static_assert(sizeof(struct unwind_row) == 2, "the format has no hidden padding");

#define UNWIND_CODE_WORDS_MASK  0x1fu /* w */
#define UNWIND_CODE_SAVED_SHIFT 5     /* k */
#define UNWIND_CODE_SAVED_MAX   5
#define UNWIND_CODE_LIST        0xc0u /* 11rrrrrr */
#define UNWIND_CODE_LIST_COUNT  63
#define UNWIND_CODE_EXCEPTION   0xffu

enum unwind_rule_kind {
    UNWIND_RULE_NONE,      /* no call frame information, e.g. before the first function */
    UNWIND_RULE_CALL,      /* the return address is at CFA - 8 */
    UNWIND_RULE_TRAP,      /* the CPU's frame is below the CFA: ip at CFA - 40, flags, sp at - 16 */
    UNWIND_RULE_TRAP_REGS, /* ... and a whole struct regs is at CFA - sizeof(struct regs) */
    UNWIND_RULE_OUTERMOST, /* the frame has no caller */
    UNWIND_RULE_KINDS,
};

enum unwind_rule_saved {
    UNWIND_SAVED_NOWHERE,  /* the frame pointer is the caller's */
    UNWIND_SAVED_AT_CFA,   /* the caller's is at CFA + saved_offset */
    UNWIND_SAVED_AT_FRAME, /* the caller's is at frame pointer + saved_offset */
    UNWIND_SAVED_PLACES,
};

/* `base` is the DWARF number of a register (System V ABI, "DWARF Register Number Mapping"). */
#define UNWIND_BASE_FRAME_POINTER 6
#define UNWIND_BASE_STACK_POINTER 7
#define UNWIND_BASE_COUNT         16

struct unwind_rule {
    uint8_t kind; /* enum unwind_rule_kind */
    /*
     * The base of the CFA. Besides stack and frame pointer, orcgen accepts only registers that a
     * call may change, so such a rule can apply where a trap occurred, never at a call.
     */
    uint8_t base;
    uint8_t saved; /* enum unwind_rule_saved */
    /* 1: CFA = value at base + cfa_offset (a realigned stack); 0: CFA = base + cfa_offset */
    uint8_t indirect;
    int32_t cfa_offset;
    int32_t saved_offset; /* 0 if not saved */
};

_Static_assert(sizeof(struct unwind_rule) == 12, "the format has no hidden padding");

/*
 * The rule for code without call frame information, where a frame pointer is believed: an ordinary
 * frame's, but in a form that compilers do not give theirs, so that it can be told from those.
 */
#define UNWIND_GAP_RULE                                                                            \
    {                                                                                              \
        .kind = UNWIND_RULE_CALL, .base = UNWIND_BASE_FRAME_POINTER,                               \
        .saved = UNWIND_SAVED_AT_FRAME, .cfa_offset = 16                                           \
    }

struct unwind_exception {
    uint32_t offset; /* start of the rule's range, from the start of the text */
    uint32_t rule;   /* index in the list of rules, which may be longer than codes can reach */
};

_Static_assert(sizeof(struct unwind_exception) == 8, "the format has no hidden padding");

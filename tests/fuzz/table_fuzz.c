/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile tables: libFuzzer's bytes are the table, in memory of exactly its size. unwind_table_open
 * may refuse it; otherwise every look-up over the text must stay inside it and find what a slow
 * reader finds. The mutator sometimes makes a valid table, damages it, and repairs the header,
 * because almost nothing else would pass the checksum; its output is the table itself, so a finding
 * can be replayed. Run by tests/host/fuzz.t (docs/proof.md).
 *
 * links: core/unwind/table.c core/lib/crc32.c core/lib/refusal.c core/lib/print.c tools/orcgen/table.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/crc32.h"
#include "core/lib/refusal.h"
#include "core/unwind/table.h"
#include "tests/fuzz/claim.h"
#include "tools/orcgen/table.h"

#define TEXT           0xffffffff80100000ull
#define TEXT_SIZE_MOST 0x10800u
#define ROWS_MOST      400

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const uint8_t build_id[UNWIND_TABLE_BUILD_ID_SIZE] = "a build id of 20 by";

/* --- Almost valid tables. --- */

static uint32_t chance_state;

static uint32_t chance(uint32_t sides)
{
    chance_state = chance_state * 1664525 + 1013904223;
    return (chance_state >> 8) % sides;
}

static struct unwind_rule chance_rule(void)
{
    struct unwind_rule rule = {
        .kind = (uint8_t)chance(UNWIND_RULE_KINDS),
        .base = (uint8_t)chance(UNWIND_BASE_COUNT),
        .saved = (uint8_t)chance(UNWIND_SAVED_PLACES),
        .indirect = (uint8_t)chance(2),
        .cfa_offset = 8 * (int32_t)chance(100),
    };

    if (chance(2)) {
        rule.kind = UNWIND_RULE_CALL;
        rule.base = UNWIND_BASE_STACK_POINTER;
        rule.indirect = 0;
    }
    if (rule.saved != UNWIND_SAVED_NOWHERE)
        rule.saved_offset = -8 * (int32_t)chance(16);
    return rule;
}

static size_t make_table(uint8_t *bytes, size_t most)
{
    struct table_text text = {.address = TEXT,
                              .size = 1 + chance(chance(4) ? TEXT_SIZE_MOST / 32 : TEXT_SIZE_MOST),
                              .build_id = build_id};
    struct table_row rows[ROWS_MOST];
    uint32_t offset = 0, step = 1 + chance(400);
    size_t count = 0, size = 0;
    struct table table;

    while (count < ROWS_MOST && offset < text.size) {
        rows[count++] = (struct table_row){.offset = offset, .rule = chance_rule()};
        offset += 1 + chance(step);
    }
    table_build(&table, rows, count, &text);
    if (table.size <= most) {
        size = table.size;
        memcpy(bytes, table.bytes, size);
    }
    free(table.bytes);
    return size;
}

/* Repairs what is checked before the parts. */
static void mend_header(uint8_t *bytes, size_t size)
{
    struct unwind_table_header header;

    if (size < sizeof(header))
        return;
    memcpy(&header, bytes, sizeof(header));
    header.magic = UNWIND_TABLE_MAGIC;
    header.version = UNWIND_TABLE_VERSION;
    memcpy(header.build_id, build_id, sizeof(build_id));
    header.size = (uint32_t)size;
    header.text = TEXT;
    header.crc32 = 0;
    memcpy(bytes, &header, sizeof(header));
    header.crc32 = crc32_update(0, bytes, size);
    memcpy(bytes, &header, sizeof(header));
}

/* Slightly changes a number of `width` bytes. */
static void nudge(uint8_t *number, size_t width)
{
    uint32_t value = 0;

    memcpy(&value, number, width);
    switch (chance(5)) {
    case 0:
        value++;
        break;
    case 1:
        value--;
        break;
    case 2:
        value += chance(64);
        break;
    case 3:
        value ^= 1u << chance(8 * (uint32_t)width);
        break;
    default:
        value = chance(2) ? UINT32_MAX : 0;
    }
    memcpy(number, &value, width);
}

/*
 * Changes one number in the header's counts and offsets or in a part, so that the rest remains
 * valid.
 */
static void nudge_table(uint8_t *bytes, size_t size)
{
    static const struct {
        size_t offset; /* the header's field with the part's offset */
        size_t width;  /* of a number in the part */
    } parts[] = {
        {offsetof(struct unwind_table_header, blocks), 4},
        {offsetof(struct unwind_table_header, rows), 2},
        {offsetof(struct unwind_table_header, rules), 1},
        {offsetof(struct unwind_table_header, exceptions), 4},
    };
    const size_t fields = offsetof(struct unwind_table_header, text_size);
    uint32_t part = chance(5), at;

    if (part == 4) {
        nudge(bytes + fields + 4 * chance((sizeof(struct unwind_table_header) - fields) / 4), 4);
        return;
    }
    memcpy(&at, bytes + parts[part].offset, sizeof(at));
    if (at >= size)
        return;
    at += chance(chance(2) ? 16 : (uint32_t)(size - at)) / parts[part].width * parts[part].width;
    if (at + parts[part].width <= size)
        nudge(bytes + at, parts[part].width);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    chance_state = seed;
    if (chance(16) == 0 || size < sizeof(struct unwind_table_header)) {
        size_t made = make_table(bytes, most);

        size = made ? made : size;
        if (made && chance(2))
            return size;
    }
    if (chance(3) && size >= sizeof(struct unwind_table_header))
        nudge_table(bytes, size);
    else
        size = LLVMFuzzerMutate(bytes, size, most);
    if (chance(16))
        mend_header(bytes, size);
    return size;
}

/* --- A slow reader, written from core/abi/unwind_table.h. --- */

struct reader {
    const struct unwind_table_header *header;
    const uint32_t *blocks;
    const struct unwind_row *rows;
    const struct unwind_rule *rules;
    const struct unwind_exception *exceptions;
};

static struct reader read_header(const void *bytes)
{
    const struct unwind_table_header *header = bytes;
    const char *start = bytes;

    return (struct reader){.header = header,
                           .blocks = (const void *)(start + header->blocks),
                           .rows = (const void *)(start + header->rows),
                           .rules = (const void *)(start + header->rules),
                           .exceptions = (const void *)(start + header->exceptions)};
}

static uint8_t slow_code(const struct reader *reader, uint32_t offset)
{
    uint32_t first = reader->blocks[offset / UNWIND_BLOCK] >> 8;
    uint32_t end = reader->blocks[offset / UNWIND_BLOCK + 1] >> 8;
    uint8_t code = (uint8_t)reader->blocks[offset / UNWIND_BLOCK];

    CLAIM(end <= reader->header->row_count);
    for (uint32_t i = first; i < end; i++)
        if (reader->rows[i].start <= offset % UNWIND_BLOCK)
            code = reader->rows[i].code;
    return code;
}

static struct unwind_rule slow_rule(const struct reader *reader, uint32_t offset, uint8_t code)
{
    struct unwind_rule rule = {.kind = UNWIND_RULE_CALL, .base = UNWIND_BASE_STACK_POINTER};
    const struct unwind_exception *last = NULL;

    if (code == UNWIND_CODE_EXCEPTION) {
        for (uint32_t i = 0; i < reader->header->exception_count; i++)
            if (reader->exceptions[i].offset <= offset)
                last = &reader->exceptions[i];
        CLAIM(last && last->rule < reader->header->rule_count);
        return reader->rules[last->rule];
    }
    if (code >= 0xc0) {
        CLAIM(code - 0xc0u < reader->header->rule_count);
        return reader->rules[code - 0xc0];
    }
    rule.cfa_offset = 8 * (code % 32 + 1);
    if (code / 32) {
        rule.saved = UNWIND_SAVED_AT_CFA;
        rule.saved_offset = -8 * (code / 32 + 1);
        CLAIM(-rule.saved_offset <= rule.cfa_offset);
    }
    return rule;
}

static void check_look_ups(const struct unwind_table *table, const void *bytes)
{
    struct reader reader = read_header(bytes);

    CLAIM(table->text_size == reader.header->text_size);
    for (uint32_t offset = 0; offset < table->text_size; offset++) {
        uint8_t code = unwind_table_code(table, offset);
        bool edge = offset == 0 || code != unwind_table_code(table, offset - 1) ||
                    code == UNWIND_CODE_EXCEPTION;

        CLAIM(code == slow_code(&reader, offset));
        if (edge) {
            struct unwind_rule rule = unwind_table_rule(table, offset, code);
            struct unwind_rule slow = slow_rule(&reader, offset, code);

            CLAIM(memcmp(&rule, &slow, sizeof(rule)) == 0);
            CLAIM(rule.kind < UNWIND_RULE_KINDS && rule.base < UNWIND_BASE_COUNT);
            CLAIM(rule.saved < UNWIND_SAVED_PLACES && rule.indirect < 2);
        }
    }
}

/* The kernel's text has the length that the table gives, up to a limit.
 */
static uintptr_t text_end(const uint8_t *bytes, size_t size)
{
    uint32_t text_size = 0;

    if (size >= sizeof(struct unwind_table_header))
        memcpy(&text_size, bytes + offsetof(struct unwind_table_header, text_size),
               sizeof(text_size));
    return TEXT + (text_size <= TEXT_SIZE_MOST ? text_size : TEXT_SIZE_MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct unwind_table_expected expected = {
        .build_id = build_id, .text = TEXT, .text_end = text_end(bytes, size)};
    struct refusal why = {.text = ""};
    struct unwind_table table;
    uint8_t *copy = malloc(size);

    memcpy(copy, bytes, size);
    if (unwind_table_open(&table, copy, size, &expected, &why) == 0) {
        check_look_ups(&table, copy);
    } else {
        CLAIM(strlen(why.text) > 8);
        CLAIM(table.text_size == 0);
    }
    free(copy);
    return 0;
}

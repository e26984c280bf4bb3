/* SPDX-License-Identifier: BSD-2-Clause */
/* See table.h. */
#include "core/unwind/table.h"

#include "core/lib/crc32.h"
#include "core/lib/refusal.h"
#include "core/lib/string.h"

/* A table being checked. */
struct check {
    const struct unwind_table_header *header;
    struct unwind_table parts;
    struct refusal *why;
    uint32_t exception; /* index of the first exception that no row has used yet */
};

static int check_header(const struct check *check, size_t room,
                        const struct unwind_table_expected *expected)
{
    const struct unwind_table_header *header = check->header;

    if (room < sizeof(*header) || header->magic != UNWIND_TABLE_MAGIC)
        return refuse(check->why, EINVAL, "no unwind table in the image: run tools/orcgen on it");
    if (header->version != UNWIND_TABLE_VERSION)
        return refuse(check->why, EINVAL,
                      "unwind table of version %u, this kernel reads version %u", header->version,
                      UNWIND_TABLE_VERSION);
    if (memcmp(header->build_id, expected->build_id, UNWIND_TABLE_BUILD_ID_SIZE) != 0)
        return refuse(check->why, EINVAL,
                      "the unwind table is another build's: run tools/orcgen again");
    if (header->size < sizeof(*header) || header->size > room)
        return refuse(check->why, EINVAL, "unwind table of %u bytes in a section of %zu",
                      header->size, room);
    if (header->text != expected->text || header->text_size != expected->text_end - expected->text)
        return refuse(check->why, EINVAL,
                      "the unwind table covers %u bytes from 0x%llx, not the kernel's text",
                      header->text_size, (unsigned long long)header->text);
    return 0;
}

static int check_sum(const struct check *check)
{
    static const uint8_t zeros[sizeof(check->header->crc32)];
    const uint8_t *bytes = (const uint8_t *)check->header;
    size_t at = offsetof(struct unwind_table_header, crc32), behind = at + sizeof(zeros);
    uint32_t sum = crc32_update(0, bytes, at);

    sum = crc32_update(sum, zeros, sizeof(zeros));
    sum = crc32_update(sum, bytes + behind, check->header->size - behind);
    if (sum != check->header->crc32)
        return refuse(check->why, EINVAL, "the unwind table is corrupt: checksum %08x, not %08x",
                      sum, check->header->crc32);
    return 0;
}

/* True if `count` elements of `size` bytes at `offset` lie inside the table. */
static bool fits(const struct unwind_table_header *header, uint32_t offset, uint32_t count,
                 size_t size)
{
    return offset % sizeof(uint32_t) == 0 && offset >= sizeof(*header) &&
           offset + (uint64_t)count * size <= header->size;
}

static int check_parts(const struct check *check)
{
    const struct unwind_table_header *header = check->header;
    uint64_t blocks = ((uint64_t)header->text_size + UNWIND_BLOCK - 1) >> UNWIND_BLOCK_SHIFT;

    if (!fits(header, header->blocks, header->block_count + 1, sizeof(uint32_t)) ||
        !fits(header, header->rows, header->row_count, sizeof(struct unwind_row)) ||
        !fits(header, header->rules, header->rule_count, sizeof(struct unwind_rule)) ||
        !fits(header, header->exceptions, header->exception_count, sizeof(struct unwind_exception)))
        return refuse(check->why, EINVAL, "the unwind table's parts reach beyond its %u bytes",
                      header->size);
    if (header->block_count != blocks)
        return refuse(check->why, EINVAL, "the unwind table has %u blocks for %u bytes of text",
                      header->block_count, header->text_size);
    return 0;
}

static int check_rules(const struct check *check)
{
    for (uint32_t i = 0; i < check->header->rule_count; i++) {
        const struct unwind_rule *rule = &check->parts.rules[i];

        if (rule->kind >= UNWIND_RULE_KINDS || rule->base >= UNWIND_BASE_COUNT ||
            rule->saved >= UNWIND_SAVED_PLACES || rule->indirect > 1)
            return refuse(check->why, EINVAL, "rule %u of the unwind table is invalid", i);
    }
    return 0;
}

static int check_exceptions(const struct check *check)
{
    const struct unwind_exception *exceptions = check->parts.exceptions;

    for (uint32_t i = 0; i < check->header->exception_count; i++) {
        if (exceptions[i].rule >= check->header->rule_count)
            return refuse(check->why, EINVAL, "exception %u of the unwind table has no rule", i);
        if (i > 0 && exceptions[i].offset <= exceptions[i - 1].offset)
            return refuse(check->why, EINVAL, "exception %u of the unwind table is out of order",
                          i);
    }
    return 0;
}

/*
 * True if `code` is valid at `offset`. UNWIND_CODE_EXCEPTION must stand at the offset of the next
 * exception, or continue one (`goes_on`).
 */
static bool code_is_sound(struct check *check, uint32_t offset, uint8_t code, bool goes_on)
{
    unsigned saved = code >> UNWIND_CODE_SAVED_SHIFT;

    if (code < UNWIND_CODE_LIST)
        return saved <= UNWIND_CODE_SAVED_MAX && saved <= (code & UNWIND_CODE_WORDS_MASK);
    if (code < UNWIND_CODE_EXCEPTION)
        return code - UNWIND_CODE_LIST < check->header->rule_count;
    if (check->exception < check->header->exception_count &&
        check->parts.exceptions[check->exception].offset == offset) {
        check->exception++;
        return true;
    }
    return goes_on;
}

/* `before`: the code in force just before the block, which the block's first code may continue. */
static int check_block(struct check *check, uint32_t number, uint8_t *before)
{
    const uint32_t here = check->parts.blocks[number], next = check->parts.blocks[number + 1];
    const uint32_t offset = number << UNWIND_BLOCK_SHIFT;
    const bool goes_on = *before == UNWIND_CODE_EXCEPTION;
    unsigned start = 0;

    if (UNWIND_BLOCK_ROW(here) > UNWIND_BLOCK_ROW(next) ||
        UNWIND_BLOCK_ROW(next) > check->header->row_count)
        return refuse(check->why, EINVAL, "block %u of the unwind table has rows outside it",
                      number);
    *before = UNWIND_BLOCK_CODE(here);
    if (!code_is_sound(check, offset, *before, goes_on))
        return refuse(check->why, EINVAL, "block %u of the unwind table has no rule 0x%x", number,
                      *before);
    for (uint32_t i = UNWIND_BLOCK_ROW(here); i < UNWIND_BLOCK_ROW(next); i++) {
        const struct unwind_row *row = &check->parts.rows[i];

        if (row->start <= start || row->start >= UNWIND_BLOCK)
            return refuse(check->why, EINVAL, "block %u of the unwind table is out of order",
                          number);
        start = row->start;
        *before = row->code;
        if (!code_is_sound(check, offset + start, *before, false))
            return refuse(check->why, EINVAL, "block %u of the unwind table has no rule 0x%x",
                          number, *before);
    }
    return 0;
}

static int check_blocks(struct check *check)
{
    uint8_t before = 0;
    int error = 0;

    for (uint32_t i = 0; i < check->header->block_count && !error; i++)
        error = check_block(check, i, &before);
    if (!error && check->exception != check->header->exception_count)
        error = refuse(check->why, EINVAL, "exception %u of the unwind table belongs to no row",
                       check->exception);
    return error;
}

int unwind_table_open(struct unwind_table *table, const void *bytes, size_t room,
                      const struct unwind_table_expected *expected, struct refusal *why)
{
    const struct unwind_table_header *header = bytes;
    const char *start = bytes;
    struct check check = {.header = header, .why = why};
    int error = check_header(&check, room, expected);

    *table = (struct unwind_table){0};
    if (!error)
        error = check_sum(&check);
    if (!error)
        error = check_parts(&check);
    if (error)
        return error;
    check.parts = (struct unwind_table){
        .text = header->text,
        .text_size = header->text_size,
        .blocks = (const uint32_t *)(start + header->blocks),
        .rows = (const struct unwind_row *)(start + header->rows),
        .rules = (const struct unwind_rule *)(start + header->rules),
        .exceptions = (const struct unwind_exception *)(start + header->exceptions),
        .exception_count = header->exception_count,
    };
    error = check_rules(&check);
    if (!error)
        error = check_exceptions(&check);
    if (!error)
        error = check_blocks(&check);
    if (!error)
        *table = check.parts;
    return error;
}

/*
 * Returns the rule of the last exception at or below `offset`. Where the code is
 * UNWIND_CODE_EXCEPTION, there is one.
 */
static uint32_t exception_rule(const struct unwind_table *table, uint32_t offset)
{
    uint32_t low = 0, high = table->exception_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (table->exceptions[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return table->exceptions[low].rule;
}

struct unwind_rule unwind_table_rule(const struct unwind_table *table, uint32_t offset,
                                     unsigned code)
{
    int saved = (int)code >> UNWIND_CODE_SAVED_SHIFT;

    if (code == UNWIND_CODE_EXCEPTION)
        return table->rules[exception_rule(table, offset)];
    if (code >= UNWIND_CODE_LIST)
        return table->rules[code - UNWIND_CODE_LIST];
    return (struct unwind_rule){
        .kind = UNWIND_RULE_CALL,
        .base = UNWIND_BASE_STACK_POINTER,
        .saved = saved ? UNWIND_SAVED_AT_CFA : UNWIND_SAVED_NOWHERE,
        .cfa_offset = (int)sizeof(uint64_t) * (int)((code & UNWIND_CODE_WORDS_MASK) + 1),
        .saved_offset = saved ? -(int)sizeof(uint64_t) * (saved + 1) : 0,
    };
}

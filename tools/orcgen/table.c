/* SPDX-License-Identifier: BSD-2-Clause */
/* See table.h. */
#include "tools/orcgen/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/allocate.h"

/* A rule without a direct code, and how many rows use it. */
struct listed {
    struct unwind_rule rule;
    size_t count;
    size_t first; /* its first row */
    uint32_t number;
};

/* A table in progress: the rows with their codes, then its parts. */
struct build {
    const struct table_row *rows;
    size_t count;
    uint8_t *codes;            /* one for each row */
    uint32_t *blocks;          /* the block words, header.block_count and a final one */
    struct unwind_row *packed; /* the rows inside blocks, header.row_count of them */
    struct listed *listed;     /* sorted by the bytes of the rule, for look-ups */
    uint32_t listed_count;
    struct unwind_table_header header;
};

/* Stores the rule's direct code; false if it has none. */
static bool code_spells(const struct unwind_rule *rule, uint8_t *code)
{
    const int64_t word = sizeof(uint64_t);
    int64_t words = rule->cfa_offset / word - 1, saved = 0;

    if (rule->kind != UNWIND_RULE_CALL || rule->base != UNWIND_BASE_STACK_POINTER ||
        rule->indirect || rule->cfa_offset % word != 0 || words < 0 ||
        words > (int64_t)UNWIND_CODE_WORDS_MASK)
        return false;
    if (rule->saved == UNWIND_SAVED_AT_CFA) {
        saved = -(int64_t)rule->saved_offset / word - 1;
        if (rule->saved_offset % word != 0 || saved < 1 || saved > UNWIND_CODE_SAVED_MAX ||
            saved > words)
            return false;
    } else if (rule->saved != UNWIND_SAVED_NOWHERE) {
        return false;
    }
    *code = (uint8_t)(saved << UNWIND_CODE_SAVED_SHIFT | words);
    return true;
}

static int by_rule(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;

    return memcmp(&a->rule, &b->rule, sizeof(a->rule));
}

static int by_rule_and_row(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;
    int order = by_rule(left, right);

    return order ? order : (a->first > b->first) - (a->first < b->first);
}

/*
 * An outermost rule comes first even with few rows, because nearly every chain ends in an outermost
 * frame.
 */
static bool is_outermost(const struct listed *listed)
{
    return listed->rule.kind == UNWIND_RULE_OUTERMOST;
}

static int by_use(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;

    if (is_outermost(a) != is_outermost(b))
        return is_outermost(a) ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->first > b->first) - (a->first < b->first);
}

/*
 * Lists the unique rules without a direct code; the most used ones get the numbers that a code can
 * express.
 */
static void list_rules(struct build *build)
{
    struct listed *listed = allocate(build->count, sizeof(*listed));
    uint32_t all = 0, kept = 0;
    uint8_t code;

    for (size_t i = 0; i < build->count; i++)
        if (!code_spells(&build->rows[i].rule, &code))
            listed[all++] = (struct listed){.rule = build->rows[i].rule, .count = 1, .first = i};
    qsort(listed, all, sizeof(*listed), by_rule_and_row);
    for (uint32_t i = 0; i < all; i++) {
        if (kept > 0 && by_rule(&listed[kept - 1], &listed[i]) == 0)
            listed[kept - 1].count++;
        else
            listed[kept++] = listed[i];
    }
    qsort(listed, kept, sizeof(*listed), by_use);
    for (uint32_t i = 0; i < kept; i++)
        listed[i].number = i;
    qsort(listed, kept, sizeof(*listed), by_rule);
    build->listed = listed;
    build->listed_count = kept;
}

static uint32_t rule_number(const struct build *build, const struct unwind_rule *rule)
{
    struct listed wanted = {.rule = *rule};
    const struct listed *found =
        bsearch(&wanted, build->listed, build->listed_count, sizeof(wanted), by_rule);

    return found->number;
}

static void choose_codes(struct build *build)
{
    build->codes = allocate(build->count, 1);
    for (size_t i = 0; i < build->count; i++) {
        if (code_spells(&build->rows[i].rule, &build->codes[i]))
            continue;
        uint32_t number = rule_number(build, &build->rows[i].rule);
        if (number < UNWIND_CODE_LIST_COUNT) {
            build->codes[i] = (uint8_t)(UNWIND_CODE_LIST + number);
        } else {
            build->codes[i] = UNWIND_CODE_EXCEPTION;
            build->header.exception_count++;
        }
    }
}

/* Makes the parts of each block: the code at its first byte, and the rows inside it. */
static void make_rows(struct build *build, uint32_t text_size)
{
    struct unwind_table_header *header = &build->header;
    size_t next = 0;
    uint8_t code = 0;

    header->block_count = (uint32_t)(((uint64_t)text_size + UNWIND_BLOCK - 1) / UNWIND_BLOCK);
    build->blocks = allocate(header->block_count + 1, sizeof(*build->blocks));
    build->packed = allocate(build->count, sizeof(*build->packed));
    for (uint32_t i = 0; i < header->block_count; i++) {
        uint64_t start = (uint64_t)i << UNWIND_BLOCK_SHIFT;

        if (next < build->count && build->rows[next].offset == start)
            code = build->codes[next++];
        build->blocks[i] = UNWIND_BLOCK_WORD(header->row_count, code);
        for (; next < build->count && build->rows[next].offset < start + UNWIND_BLOCK; next++) {
            code = build->codes[next];
            build->packed[header->row_count++] = (struct unwind_row){
                .code = code, .start = (uint8_t)(build->rows[next].offset % UNWIND_BLOCK)};
        }
    }
    build->blocks[header->block_count] = UNWIND_BLOCK_WORD(header->row_count, 0);
}

static void lay_out(struct build *build, const struct table_text *text)
{
    struct unwind_table_header *header = &build->header;

    header->magic = UNWIND_TABLE_MAGIC;
    header->version = UNWIND_TABLE_VERSION;
    memcpy(header->build_id, text->build_id, sizeof(header->build_id));
    header->text = text->address;
    header->text_size = text->size;
    header->rule_count = build->listed_count;
    header->blocks = sizeof(*header);
    header->rows = header->blocks + (header->block_count + 1) * (uint32_t)sizeof(*build->blocks);
    header->rules =
        header->rows + (header->row_count + 1) / 2 * 2 * (uint32_t)sizeof(struct unwind_row);
    header->exceptions = header->rules + header->rule_count * (uint32_t)sizeof(struct unwind_rule);
    header->size =
        header->exceptions + header->exception_count * (uint32_t)sizeof(struct unwind_exception);
}

static void write_rows(const struct build *build, char *bytes)
{
    const struct unwind_table_header *header = &build->header;

    memcpy(bytes + header->blocks, build->blocks,
           (header->block_count + 1) * sizeof(*build->blocks));
    memcpy(bytes + header->rows, build->packed, header->row_count * sizeof(*build->packed));
}

static void write_rules(const struct build *build, char *bytes)
{
    const struct unwind_table_header *header = &build->header;
    struct unwind_rule *rules = (struct unwind_rule *)(bytes + header->rules);
    struct unwind_exception *exceptions = (struct unwind_exception *)(bytes + header->exceptions);

    for (uint32_t i = 0; i < build->listed_count; i++)
        rules[build->listed[i].number] = build->listed[i].rule;
    for (size_t i = 0; i < build->count; i++)
        if (build->codes[i] == UNWIND_CODE_EXCEPTION)
            *exceptions++ = (struct unwind_exception){
                .offset = build->rows[i].offset,
                .rule = rule_number(build, &build->rows[i].rule),
            };
}

/* The CRC-32 of core/lib/crc32.h, bit by bit. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

void table_build(struct table *table, const struct table_row *rows, size_t count,
                 const struct table_text *text)
{
    struct build build = {.rows = rows, .count = count};
    struct unwind_table_header *header = &build.header;

    list_rules(&build);
    choose_codes(&build);
    make_rows(&build, text->size);
    lay_out(&build, text);
    table->size = header->size;
    table->bytes = allocate(1, header->size);
    memcpy(table->bytes, header, sizeof(*header));
    write_rows(&build, table->bytes);
    write_rules(&build, table->bytes);
    ((struct unwind_table_header *)table->bytes)->crc32 = checksum(table->bytes, table->size);
    free(build.packed);
    free(build.blocks);
    free(build.codes);
    free(build.listed);
}

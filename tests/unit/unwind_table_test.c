/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/unwind/table.c: the rules of a small table, written by hand, and the refusal of each kind of
 * wrong table. orcgen_table_test.c has tables that the generator made.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/crc32.h"
#include "core/lib/refusal.h"
#include "core/unwind/table.h"

#define TEXT      0xffffffff80108000u
#define TEXT_SIZE 600u /* five blocks, the last one short */

#define EXCEPTION UNWIND_CODE_EXCEPTION
#define BLOCK_OF  UNWIND_BLOCK_WORD

/* A whole table, and the rest of its section. */
struct made {
    struct unwind_table_header header;
    uint32_t blocks[6];
    struct unwind_row rows[6];
    struct unwind_rule rules[2];
    struct unwind_exception exceptions[3];
    uint8_t rest[8];
};

#define HEADER(field) offsetof(struct made, header.field)
#define SIZE          offsetof(struct made, rest)

static const struct made good = {
    .header =
        {
            .magic = UNWIND_TABLE_MAGIC,
            .version = UNWIND_TABLE_VERSION,
            .build_id = "the build id, 20 by",
            .size = SIZE,
            .text = TEXT,
            .text_size = TEXT_SIZE,
            .block_count = 5,
            .row_count = 6,
            .rule_count = 2,
            .exception_count = 3,
            .blocks = offsetof(struct made, blocks),
            .rows = offsetof(struct made, rows),
            .rules = offsetof(struct made, rules),
            .exceptions = offsetof(struct made, exceptions),
        },
    .blocks = {BLOCK_OF(0, 0xc0), BLOCK_OF(2, 0x21), BLOCK_OF(2, 0x00), BLOCK_OF(5, EXCEPTION),
               BLOCK_OF(5, EXCEPTION), BLOCK_OF(6, 0)},
    .rows = {{0x00, 1}, {0x21, 127}, {0xa5, 10}, {EXCEPTION, 11}, {EXCEPTION, 12}, {EXCEPTION, 87}},
    .rules =
        {
            {.kind = UNWIND_RULE_NONE},
            {UNWIND_RULE_CALL, 6, UNWIND_SAVED_AT_FRAME, 1, -8, 16},
        },
    .exceptions = {{267, 1}, {268, 0}, {599, 1}},
};

/* Writes `size` bytes of `value` at `offset`; `reason` must then be part of the refusal. */
struct wrong {
    size_t offset, size;
    uint64_t value;
    const char *words;
};

static void seal(struct made *made)
{
    made->header.crc32 = 0;
    made->header.crc32 = crc32_update(0, made, SIZE);
}

static int open_made(struct unwind_table *table, const struct made *made, size_t room,
                     struct refusal *why)
{
    const struct unwind_table_expected expected = {
        .build_id = good.header.build_id, .text = TEXT, .text_end = TEXT + (uintptr_t)TEXT_SIZE};

    return unwind_table_open(table, made, room, &expected, why);
}

static void refused_for(const struct made *made, size_t room, const char *words)
{
    struct unwind_table table = {.text_size = 1};
    struct refusal why = {0};

    assert_int_equal(open_made(&table, made, room, &why), -EINVAL);
    if (!strstr(why.text, words))
        fail_msg("\"%s\" lacks \"%s\"", why.text, words);
    assert_int_equal(table.text_size, 0);
}

static struct unwind_rule look_up(const struct unwind_table *table, uint32_t offset)
{
    return unwind_table_rule(table, offset, unwind_table_code(table, offset));
}

static void rule_is(const struct unwind_table *table, uint32_t start, uint32_t end,
                    const struct unwind_rule *rule)
{
    for (uint32_t offset = start; offset < end; offset++) {
        struct unwind_rule found = look_up(table, offset);

        if (memcmp(&found, rule, sizeof(found)) != 0)
            fail_msg("wrong rule at byte %u", offset);
    }
}

static void every_kind_of_code_is_understood(void **state)
{
    static const struct unwind_rule plain = {UNWIND_RULE_CALL, 7, UNWIND_SAVED_NOWHERE, 0, 8, 0},
                                    saved = {UNWIND_RULE_CALL, 7, UNWIND_SAVED_AT_CFA, 0, 16, -16},
                                    deep = {UNWIND_RULE_CALL, 7, UNWIND_SAVED_AT_CFA, 0, 48, -48};
    struct made made = good;
    struct unwind_table table;
    struct refusal why;

    (void)state;
    seal(&made);
    assert_int_equal(open_made(&table, &made, sizeof(made), &why), 0);
    assert_int_equal(table.text, TEXT);
    rule_is(&table, 0, 1, &good.rules[0]);
    rule_is(&table, 1, 127, &plain);
    rule_is(&table, 127, 256, &saved);
    rule_is(&table, 256, 266, &plain);
    rule_is(&table, 266, 267, &deep);
    rule_is(&table, 267, 268, &good.rules[1]);
    rule_is(&table, 268, 599, &good.rules[0]);
    rule_is(&table, 599, 600, &good.rules[1]);
}

static void an_empty_section_and_one_too_short_hold_no_table(void **state)
{
    static const struct made empty;
    struct made made = good;

    (void)state;
    seal(&made);
    refused_for(&empty, sizeof(empty), "no unwind table in the image");
    refused_for(&made, sizeof(made.header) - 1, "no unwind table in the image");
    refused_for(&made, SIZE - 1, "bytes in a section of");
}

static void any_changed_byte_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE; i++) {
        struct made made = good;

        seal(&made);
        ((uint8_t *)&made)[i] ^= 0x40;
        refused_for(&made, sizeof(made), "");
    }
}

/* The checksum is correct in all of these but one. */
static void it_is_refused_for_its_reason(void **state)
{
    const struct wrong *wrong = *state;
    struct made made = good;

    seal(&made);
    memcpy((char *)&made + wrong->offset, &wrong->value, wrong->size);
    if (wrong->offset != HEADER(crc32))
        made.header.crc32 = 0;
    if (wrong->offset != HEADER(crc32))
        made.header.crc32 =
            crc32_update(0, &made, made.header.size <= sizeof(made) ? made.header.size : SIZE);
    refused_for(&made, sizeof(made), wrong->words);
}

#define BLOCK(i)            offsetof(struct made, blocks[i])
#define ROW(i)              offsetof(struct made, rows[i])
#define ROW_OF(start, code) ((start) << 8 | (code)) /* its two bytes */
#define RULE(i, field)      offsetof(struct made, rules[i].field)
#define EXCEPTED(i, field)  offsetof(struct made, exceptions[i].field)
#define NO_PART             "parts reach beyond its"
#define OUT_OF_ORDER        "of the unwind table is out of order"
#define ROWS_OUTSIDE        "of the unwind table has rows outside it"
#define NO_RULE             "of the unwind table has no rule 0x"

#define REFUSED(claim, ...)                                                                        \
    {                                                                                              \
        .name = claim " is refused", .test_func = it_is_refused_for_its_reason,                    \
        .initial_state = &(struct wrong)                                                           \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_code_is_understood),
        cmocka_unit_test(an_empty_section_and_one_too_short_hold_no_table),
        cmocka_unit_test(any_changed_byte_is_noticed),

        REFUSED("another magic", HEADER(magic), 4, 0x4d595350, "no unwind table in the image"),
        REFUSED("another version", HEADER(version), 4, 3, "of version 3, this kernel reads"),
        REFUSED("another build's", HEADER(build_id), 1, 'T', "another build's"),
        REFUSED("less than a header", HEADER(size), 4, 72, "72 bytes in a section of"),
        REFUSED("more than the section", HEADER(size), 4, 1 << 20, "1048576 bytes in a section"),
        REFUSED("another text", HEADER(text), 8, TEXT + 16, "not the kernel's text"),
        REFUSED("less text", HEADER(text_size), 4, 599, "covers 599 bytes"),
        REFUSED("a wrong checksum", HEADER(crc32), 4, 1, "corrupt: checksum"),

        REFUSED("blocks beyond the end", HEADER(blocks), 4, SIZE - 16, NO_PART),
        REFUSED("blocks in the header", HEADER(blocks), 4, 76, NO_PART),
        REFUSED("blocks at an odd place", HEADER(blocks), 4, sizeof(good.header) + 2, NO_PART),
        REFUSED("rows beyond the end", HEADER(rows), 4, SIZE - 8, NO_PART),
        REFUSED("too many rows", HEADER(row_count), 4, 0x80000000, NO_PART),
        REFUSED("rules beyond the end", HEADER(rules), 4, SIZE - 20, NO_PART),
        REFUSED("too many rules", HEADER(rule_count), 4, 0xffffffff, NO_PART),
        REFUSED("exceptions beyond the end", HEADER(exceptions), 4, SIZE - 12, NO_PART),
        REFUSED("too many exceptions", HEADER(exception_count), 4, 4, NO_PART),
        REFUSED("too few blocks", HEADER(block_count), 4, 4, "has 4 blocks for 600 bytes"),
        REFUSED("too many blocks", HEADER(block_count), 4, 6, "has 6 blocks for 600 bytes"),

        REFUSED("no such kind", RULE(1, kind), 1, UNWIND_RULE_KINDS, "rule 1 of the unwind table"),
        REFUSED("no such base", RULE(0, base), 1, 16, "rule 0 of the unwind table is invalid"),
        REFUSED("no such place", RULE(1, saved), 1, UNWIND_SAVED_PLACES, "rule 1 of"),
        REFUSED("indirect beyond 1", RULE(1, indirect), 1, 2,
                "rule 1 of the unwind table is invalid"),

        REFUSED("an exception without a rule", EXCEPTED(1, rule), 4, 2,
                "exception 1 of the unwind table has no rule"),
        REFUSED("exceptions that fall", EXCEPTED(1, offset), 4, 260, OUT_OF_ORDER),
        REFUSED("exceptions in one place", EXCEPTED(1, offset), 4, 267, OUT_OF_ORDER),
        REFUSED("an exception between rows", EXCEPTED(1, offset), 4, 300, NO_RULE "ff"),
        REFUSED("an exception left over", ROW(5), 2, ROW_OF(87, 0xc1),
                "exception 2 of the unwind table belongs to no row"),

        REFUSED("a block's rows outside", BLOCK(5), 4, BLOCK_OF(7, 0), "block 4 " ROWS_OUTSIDE),
        REFUSED("a block's rows far outside", BLOCK(4), 4, UINT32_MAX, "block 3 " ROWS_OUTSIDE),
        REFUSED("rows that end before they begin", BLOCK(1), 4, BLOCK_OF(3, 0x21),
                "block 0 " OUT_OF_ORDER),
        REFUSED("a row at its block's start", ROW(0), 2, ROW_OF(0, 0), "block 0 " OUT_OF_ORDER),
        REFUSED("a row behind its block", ROW(1), 2, ROW_OF(128, 0), "block 0 " OUT_OF_ORDER),
        REFUSED("two rows in one place", ROW(3), 2, ROW_OF(10, 0), "block 2 " OUT_OF_ORDER),

        REFUSED("a block's code beyond the list", BLOCK(1), 1, 0xc2, NO_RULE "c2"),
        REFUSED("a row's code beyond the list", ROW(5), 2, ROW_OF(87, 0xc2), NO_RULE "c2"),
        REFUSED("saved below sp, in a block", BLOCK(1), 1, 0x20, NO_RULE "20"),
        REFUSED("saved below sp, in a row", ROW(2), 2, ROW_OF(10, 0xa4), NO_RULE "a4"),
        REFUSED("an exception's row without one", ROW(0), 2, ROW_OF(1, EXCEPTION),
                "block 0 " NO_RULE "ff"),
        REFUSED("nothing that could go on", BLOCK(0), 1, EXCEPTION, "block 0 " NO_RULE "ff"),
        REFUSED("going on after another code", BLOCK(2), 1, EXCEPTION, "block 2 " NO_RULE "ff"),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tools/orcgen/table.c against the kernel's own reader: for any rows, the reader accepts the table,
 * and at every byte of the text finds the rule that was given for it.
 *
 * links: tools/orcgen/table.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/refusal.h"
#include "core/unwind/table.h"
#include "tests/unit/random.h"
#include "tools/orcgen/table.h"

#define TEXT        0xffffffff80108000u
#define CODES_FOUND 256

static const uint8_t build_id[UNWIND_TABLE_BUILD_ID_SIZE] = "the build id, 20 by";

/* Generated rows, for a text of `size` bytes. */
struct rows {
    struct table_row *rows;
    size_t count;
    uint32_t size;
};

static struct unwind_rule call_rule(int cfa_offset)
{
    return (struct unwind_rule){
        .kind = UNWIND_RULE_CALL, .base = UNWIND_BASE_STACK_POINTER, .cfa_offset = cfa_offset};
}

/* Rule `number` of many, all different, with every kind, base and place. */
static struct unwind_rule strange_rule(uint32_t number)
{
    return (struct unwind_rule){
        .kind = (uint8_t)(number % UNWIND_RULE_KINDS),
        .base = (uint8_t)(number % UNWIND_BASE_COUNT),
        .saved = (uint8_t)(number % UNWIND_SAVED_PLACES),
        .indirect = number % 2,
        .cfa_offset = (int32_t)(number * 8 + 4096),
        .saved_offset = number % 3 ? -(int32_t)number : INT32_MIN,
    };
}

/* A rule with a direct code. */
static struct unwind_rule plain_rule(void)
{
    int words = (int)random_below(32), saved = (int)random_below(6);
    struct unwind_rule rule = call_rule(8 * (words + 1));

    if (saved > 0 && saved <= words) {
        rule.saved = UNWIND_SAVED_AT_CFA;
        rule.saved_offset = -8 * (saved + 1);
    }
    return rule;
}

/*
 * Rows every 1 to `most_apart` bytes, with `strange` different exceptional rules, and plain ones.
 */
static struct rows make_rows(uint32_t size, uint32_t most_apart, uint32_t strange)
{
    struct rows rows = {.rows = calloc(size, sizeof(*rows.rows)), .size = size};
    uint32_t at = 0;

    assert_non_null(rows.rows);
    while (at < size) {
        bool plain = strange == 0 || random_below(4) == 0;
        struct unwind_rule rule = plain ? plain_rule() : strange_rule(random_below(strange));
        rows.rows[rows.count++] = (struct table_row){.offset = at, .rule = rule};
        at += 1 + random_below(most_apart);
    }
    return rows;
}

static struct table build(const struct rows *rows)
{
    const struct table_text text = {.address = TEXT, .size = rows->size, .build_id = build_id};
    struct table table;

    table_build(&table, rows->rows, rows->count, &text);
    return table;
}

static struct unwind_table open_table(const struct table *table, uint32_t text_size)
{
    const struct unwind_table_expected expected = {
        .build_id = build_id, .text = TEXT, .text_end = TEXT + (uintptr_t)text_size};
    struct unwind_table opened;
    struct refusal why = {0};

    if (unwind_table_open(&opened, table->bytes, table->size, &expected, &why) != 0)
        fail_msg("%s", why.text);
    return opened;
}

/* Field by field: memcmp of twelve bytes was a third of this program's time, in the sanitizer. */
static bool rules_equal(const struct unwind_rule *one, const struct unwind_rule *other)
{
    return one->kind == other->kind && one->base == other->base && one->saved == other->saved &&
           one->indirect == other->indirect && one->cfa_offset == other->cfa_offset &&
           one->saved_offset == other->saved_offset;
}

/* Compares all rules at all bytes. Returns the table's header. */
static struct unwind_table_header round_trip(const struct rows *rows)
{
    struct table table = build(rows);
    struct unwind_table opened = open_table(&table, rows->size);
    struct unwind_table_header header;
    size_t row = 0;

    for (uint32_t offset = 0; offset < rows->size; offset++) {
        if (row + 1 < rows->count && rows->rows[row + 1].offset == offset)
            row++;
        struct unwind_rule found =
            unwind_table_rule(&opened, offset, unwind_table_code(&opened, offset));
        if (!rules_equal(&found, &rows->rows[row].rule))
            fail_msg("text of %u bytes, %zu rows: wrong rule at byte %u, of row %zu", rows->size,
                     rows->count, offset, row);
    }
    memcpy(&header, table.bytes, sizeof(header));
    free(table.bytes);
    return header;
}

static void every_byte_has_its_rule_in_texts_of_any_size(void **state)
{
    static const uint32_t sizes[] = {1, 2, 127, 128, 129, 255, 65535, 65536, 65537, 131072, 200003};
    static const uint32_t aparts[] = {1, 5, 40, 1000};
    static const uint32_t stranges[] = {0, 30, 63, 64, 3000};

    /* Every pair of the three occurs; with SOAK=1 all three together. */
    const size_t stride = getenv("SOAK") ? 1 : 2;

    (void)state;
    random_begin(1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        for (size_t j = 0; j < sizeof(aparts) / sizeof(*aparts); j++)
            for (size_t k = (i + j) % stride; k < sizeof(stranges) / sizeof(*stranges);
                 k += stride) {
                struct rows rows = make_rows(sizes[i], aparts[j], stranges[k]);

                round_trip(&rows);
                free(rows.rows);
            }
}

static void a_row_at_every_byte_fills_the_blocks(void **state)
{
    const uint32_t size = 3 * 65536 + 77;
    struct rows rows = {.rows = calloc(size, sizeof(*rows.rows)), .count = size, .size = size};
    struct unwind_table_header header;

    (void)state;
    assert_non_null(rows.rows);
    for (uint32_t i = 0; i < size; i++)
        rows.rows[i] = (struct table_row){.offset = i, .rule = strange_rule(i)};
    header = round_trip(&rows);
    assert_int_equal(header.row_count, size - header.block_count);
    assert_int_equal(header.rule_count, size);
    assert_int_equal(header.exception_count, size - UNWIND_CODE_LIST_COUNT);
    free(rows.rows);
}

/* Each of the at most 32 * 6 rules described at the head of the format, without list entries. */
static void what_a_code_can_spell_needs_no_list(void **state)
{
    struct table_row rows[CODES_FOUND];
    struct rows made = {.rows = rows};
    struct unwind_table_header header;

    (void)state;
    for (int words = 0; words <= 31; words++)
        for (int saved = 0; saved <= 5 && saved <= words; saved++) {
            struct unwind_rule rule = call_rule(8 * (words + 1));

            rule.saved = saved ? UNWIND_SAVED_AT_CFA : UNWIND_SAVED_NOWHERE;
            rule.saved_offset = saved ? -8 * (saved + 1) : 0;
            rows[made.count] = (struct table_row){.offset = made.size++, .rule = rule};
            made.count++;
        }
    header = round_trip(&made);
    assert_int_equal(header.rule_count, 0);
    assert_int_equal(header.exception_count, 0);
}

/* One step beyond what the codes can express, in each direction. */
static void what_no_code_can_spell_is_listed(void **state)
{
    struct unwind_rule rules[10];
    struct table_row rows[10];
    struct rows made = {.rows = rows, .count = 10, .size = 10};

    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        rules[i] = call_rule(64);
        rules[i].saved = i < 5 ? UNWIND_SAVED_NOWHERE : UNWIND_SAVED_AT_CFA;
        rules[i].saved_offset = i < 5 ? 0 : -16;
    }
    rules[0].cfa_offset = 8 * 33;
    rules[1].cfa_offset = 0;
    rules[2].cfa_offset = 12;
    rules[3].base = UNWIND_BASE_FRAME_POINTER;
    rules[4].kind = UNWIND_RULE_OUTERMOST;
    rules[5].indirect = 1;
    rules[6].saved = UNWIND_SAVED_AT_FRAME;
    rules[7].saved_offset = -8;
    rules[8].saved_offset = -8 * 7;
    rules[9].saved_offset = -20;
    for (uint32_t i = 0; i < 10; i++)
        rows[i] = (struct table_row){.offset = i, .rule = rules[i]};
    assert_int_equal(round_trip(&made).rule_count, 10);
    rules[0] = call_rule(8 * 4);
    rules[0].saved = UNWIND_SAVED_AT_CFA;
    rules[0].saved_offset = -8 * 5; /* below sp */
    rows[0].rule = rules[0];
    assert_int_equal(round_trip(&made).rule_count, 10);
}

/* Rule i of 100; the rarest is an outermost frame's. */
static struct unwind_rule wanted_rule(uint32_t number)
{
    struct unwind_rule rule = strange_rule(number);

    rule.kind = number < 99 ? UNWIND_RULE_CALL : UNWIND_RULE_OUTERMOST;
    return rule;
}

/*
 * Rule i is used 100 - i times. The outermost frame's has a code nevertheless, and so have 62
 * others; the rest are exceptions.
 */
static void the_rules_most_wanted_get_the_codes(void **state)
{
    struct rows rows = {.rows = calloc(100 * 100, sizeof(*rows.rows))};
    uint32_t exceptions = 0;

    (void)state;
    assert_non_null(rows.rows);
    for (uint32_t time = 0; time < 100; time++)
        for (uint32_t rule = 0; rule < 100 - time; rule++)
            rows.rows[rows.count++] =
                (struct table_row){.offset = rows.size++, .rule = wanted_rule(rule)};
    for (uint32_t rule = UNWIND_CODE_LIST_COUNT - 1; rule < 99; rule++)
        exceptions += 100 - rule;
    assert_int_equal(round_trip(&rows).exception_count, exceptions);
    free(rows.rows);
}

static void an_exception_may_span_blocks(void **state)
{
    const uint32_t count = 100, apart = 3000;
    struct rows rows = {.rows = calloc(count, sizeof(*rows.rows)), .size = count * apart};

    (void)state;
    assert_non_null(rows.rows);
    for (uint32_t i = 0; i < count; i++)
        rows.rows[rows.count++] = (struct table_row){.offset = i * apart, .rule = strange_rule(i)};
    assert_int_equal(round_trip(&rows).exception_count, count - UNWIND_CODE_LIST_COUNT);
    free(rows.rows);
}

static void the_same_rows_give_the_same_bytes(void **state)
{
    struct rows rows;
    struct table first, second;

    (void)state;
    random_begin(7);
    rows = make_rows(100000, 10, 500);
    first = build(&rows);
    second = build(&rows);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    free(first.bytes);
    free(second.bytes);
    free(rows.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_has_its_rule_in_texts_of_any_size),
        cmocka_unit_test(a_row_at_every_byte_fills_the_blocks),
        cmocka_unit_test(what_a_code_can_spell_needs_no_list),
        cmocka_unit_test(what_no_code_can_spell_is_listed),
        cmocka_unit_test(the_rules_most_wanted_get_the_codes),
        cmocka_unit_test(an_exception_may_span_blocks),
        cmocka_unit_test(the_same_rows_give_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses samples: every set of fields, every truncation, and records of random bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sample/records.h"

#define ALL_FIELDS                                                                                 \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |             \
     PERF_SAMPLE_REGS_INTR)

static const uint64_t optional_fields[] = {
    PERF_SAMPLE_IP,  PERF_SAMPLE_TID,    PERF_SAMPLE_TIME,      PERF_SAMPLE_ADDR,
    PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_REGS_INTR};
#define OPTIONAL_FIELDS (sizeof(optional_fields) / sizeof(optional_fields[0]))

static struct recorded_event event = {
    .id = 42, .attr = {.sample_type = ALL_FIELDS, .sample_period = 77, .sample_regs_intr = 0x13}};

struct record {
    struct perf_event_header header;
    uint64_t words[40];
    size_t count;
};

static void put(struct record *record, uint64_t word)
{
    record->words[record->count++] = word;
    record->header.size = (uint16_t)(sizeof(record->header) + record->count * sizeof(uint64_t));
}

static struct record make_record(uint64_t fields)
{
    struct record record = {.header = {.type = PERF_RECORD_SAMPLE}};

    put(&record, event.id);
    if (fields & PERF_SAMPLE_IP)
        put(&record, 0x1111);
    if (fields & PERF_SAMPLE_TID)
        put(&record, 8 | UINT64_C(9) << 32);
    if (fields & PERF_SAMPLE_TIME)
        put(&record, 0x2222);
    if (fields & PERF_SAMPLE_ADDR)
        put(&record, 0x3333);
    if (fields & PERF_SAMPLE_CPU)
        put(&record, 5 | UINT64_C(0xdead) << 32);
    if (fields & PERF_SAMPLE_PERIOD)
        put(&record, 0x4444);
    if (fields & PERF_SAMPLE_CALLCHAIN) {
        put(&record, 3);
        put(&record, (uint64_t)PERF_CONTEXT_KERNEL);
        put(&record, 0x1111);
        put(&record, 0x5555);
    }
    if (fields & PERF_SAMPLE_REGS_INTR) {
        put(&record, PERF_SAMPLE_REGS_ABI_64);
        put(&record, 0xa0);
        put(&record, 0xa1);
        put(&record, 0xa4);
    }
    return record;
}

/*
 * On the heap with exactly its own size, so that the sanitizer detects each byte read past its end.
 */
static bool parse_exactly(const struct record *record, struct sample_view *view)
{
    size_t size = record->header.size < 8 ? 8 : record->header.size;
    void *copy = malloc(size);

    assert_non_null(copy);
    memcpy(copy, record, size);
    bool good = sample_view_parse(copy, &event, 1, view);
    if (good && view->chain_length > 0)
        assert_true(view->chain[view->chain_length - 1] | 1);
    if (good && view->register_count > 0)
        assert_true(view->registers[view->register_count - 1] | 1);
    free(copy);
    return good;
}

static void check_fields(uint64_t fields, const struct sample_view *view)
{
    assert_ptr_equal(view->event, &event);
    assert_int_equal(view->ip, fields & PERF_SAMPLE_IP ? 0x1111 : 0);
    assert_int_equal(view->pid, fields & PERF_SAMPLE_TID ? 8 : 0);
    assert_int_equal(view->tid, fields & PERF_SAMPLE_TID ? 9 : 0);
    assert_int_equal(view->time, fields & PERF_SAMPLE_TIME ? 0x2222 : 0);
    assert_int_equal(view->addr, fields & PERF_SAMPLE_ADDR ? 0x3333 : 0);
    assert_int_equal(view->cpu, fields & PERF_SAMPLE_CPU ? 5 : 0);
    assert_int_equal(view->period, fields & PERF_SAMPLE_PERIOD ? 0x4444 : 77);
    assert_int_equal(view->chain_length, fields & PERF_SAMPLE_CALLCHAIN ? 3 : 0);
    assert_int_equal(view->register_count, fields & PERF_SAMPLE_REGS_INTR ? 3 : 0);
}

static void every_set_of_fields_comes_out_as_it_went_in(void **state)
{
    (void)state;
    for (unsigned int set = 0; set < 1u << OPTIONAL_FIELDS; set++) {
        struct sample_view view;
        event.attr.sample_type = PERF_SAMPLE_IDENTIFIER;
        for (unsigned int i = 0; i < OPTIONAL_FIELDS; i++)
            event.attr.sample_type |= set >> i & 1 ? optional_fields[i] : 0;
        struct record record = make_record(event.attr.sample_type);
        assert_true(sample_view_parse(&record.header, &event, 1, &view));
        check_fields(event.attr.sample_type, &view);
        if (event.attr.sample_type & PERF_SAMPLE_CALLCHAIN)
            assert_int_equal(view.chain[2], 0x5555);
        if (event.attr.sample_type & PERF_SAMPLE_REGS_INTR)
            assert_int_equal(view.registers[2], 0xa4);
    }
}

static void a_record_of_any_other_size_is_refused(void **state)
{
    (void)state;
    event.attr.sample_type = ALL_FIELDS;
    struct record record = make_record(ALL_FIELDS);
    unsigned int whole = record.header.size;

    for (unsigned int size = 0; size <= whole + 16; size++) {
        struct sample_view view;
        record.header.size = (uint16_t)size;
        assert_int_equal(parse_exactly(&record, &view), size == whole);
    }
}

static void what_is_not_a_sample_of_these_events_is_refused(void **state)
{
    (void)state;
    struct sample_view view;
    struct record record = make_record(ALL_FIELDS);

    event.attr.sample_type = ALL_FIELDS;
    assert_false(sample_view_parse(&record.header, &event, 0, &view));
    record.words[0] = event.id + 1;
    assert_false(sample_view_parse(&record.header, &event, 1, &view));
    record.words[0] = event.id;
    record.header.type = PERF_RECORD_LOST;
    assert_false(sample_view_parse(&record.header, &event, 1, &view));
    record.header.type = PERF_RECORD_SAMPLE;
    event.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
    assert_false(sample_view_parse(&record.header, &event, 1, &view));
}

static void no_length_inside_a_record_is_believed(void **state)
{
    (void)state;
    event.attr.sample_type = ALL_FIELDS;
    struct record good = make_record(ALL_FIELDS);
    srand(1);
    for (int i = 0; i < 200000; i++) {
        struct record record = good;
        struct sample_view view;
        record.words[1 + rand() % (int)(record.count - 1)] =
            rand() % 2 ? (uint64_t)(rand() % 40) : UINT64_MAX >> rand() % 64;
        parse_exactly(&record, &view);
    }
}

static size_t collect(const struct sample_view *view, bool caller, uint64_t *addresses)
{
    struct chain_walk walk;
    size_t count = 0;

    chain_walk_start(&walk, view, caller, CHAIN_WALK_MOST);
    while (chain_walk_next(&walk, &addresses[count]))
        count++;
    return count;
}

static void a_chain_is_walked_from_either_end_without_its_markers(void **state)
{
    (void)state;
    const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 1, 2, (uint64_t)PERF_CONTEXT_USER, 3};
    const struct sample_view view = {.chain = chain, .chain_length = 5};
    uint64_t addresses[PERF_MAX_STACK_DEPTH + 1];

    assert_int_equal(collect(&view, false, addresses), 3);
    assert_int_equal(addresses[0], 1);
    assert_int_equal(addresses[2], 3);
    assert_int_equal(collect(&view, true, addresses), 3);
    assert_int_equal(addresses[0], 3);
    assert_int_equal(addresses[2], 1);
}

static void a_chain_that_is_too_long_loses_its_far_end(void **state)
{
    (void)state;
    uint64_t chain[200], addresses[PERF_MAX_STACK_DEPTH + 1];
    const struct sample_view view = {.chain = chain, .chain_length = 200};

    for (size_t i = 0; i < 200; i++)
        chain[i] = i;
    assert_int_equal(collect(&view, false, addresses), PERF_MAX_STACK_DEPTH);
    assert_int_equal(addresses[PERF_MAX_STACK_DEPTH - 1], PERF_MAX_STACK_DEPTH - 1);
    assert_int_equal(collect(&view, true, addresses), PERF_MAX_STACK_DEPTH);
    assert_int_equal(addresses[0], 199);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_of_fields_comes_out_as_it_went_in),
        cmocka_unit_test(a_record_of_any_other_size_is_refused),
        cmocka_unit_test(what_is_not_a_sample_of_these_events_is_refused),
        cmocka_unit_test(no_length_inside_a_record_is_believed),
        cmocka_unit_test(a_chain_is_walked_from_either_end_without_its_markers),
        cmocka_unit_test(a_chain_that_is_too_long_loses_its_far_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

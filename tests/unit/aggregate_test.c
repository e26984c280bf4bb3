/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits by key: keys and parts of keys, full tables, tables of several CPUs, printing, and a hit
 * that another hit interrupts at every instruction.
 *
 * links: tests/unit/step.c core/unwind/default_fp.c tests/unit/fake_arch.c tests/unit/fake_unwind_table.c tests/unit/fake_task.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/aggregate/aggregate.h"
#include "tests/unit/fake_arch.h"
#include "tests/unit/fake_task.h"
#include "tests/unit/step.h"

#define CPUS 4

PITOT_TRACEPOINT(test, some, 4, PITOT_FIELD(pointer, address, "address=%p"),
                 PITOT_FIELD(u64, size, " size=%lu"), PITOT_FIELD(s32, left, " left=%d"),
                 PITOT_FIELD(text, name, " name=%s"));

static struct aggregate_cpu cpus[CPUS];
static struct aggregate_line lines[2 * CPUS * AGGREGATE_TABLE_CELLS];
static struct aggregate aggregate;

static size_t aggregate_lines(void)
{
    struct aggregate_sums sums = {.lines = lines, .most = aggregate_lines_most()};

    aggregate_sums_add(&sums, &aggregate);
    return sums.count;
}

static uint64_t lost(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        sum += cpus[cpu].lost;
    return sum;
}

static int setup(void **state)
{
    fake_arch_reset(state);
    fake_arch.cpus = CPUS;
    aggregate = (struct aggregate){.cpu = cpus};
    aggregate_clear(&aggregate);
    return 0;
}

static void want_key(const char *field)
{
    aggregate.plan.key_field = field_find(&pitot_tracepoint_some, field, strlen(field));
    aggregate.plan.key = field_place_of(&pitot_tracepoint_some, aggregate.plan.key_field);
    aggregate.plan.by = AGGREGATE_BY_FIELD;
}

static void want_value(const char *field)
{
    aggregate.plan.value_field = field_find(&pitot_tracepoint_some, field, strlen(field));
    aggregate.plan.value = field_place_of(&pitot_tracepoint_some, aggregate.plan.value_field);
}

static void hit(unsigned cpu, uint64_t address, uint64_t size, int32_t left, const char *name)
{
    uint64_t argument[] = {address, size, (uint32_t)left, (uint64_t)(uintptr_t)name};
    struct trace_hit traced = {
        .tracepoint = &pitot_tracepoint_some, .argument = argument, .cpu = cpu};

    aggregate_add(&aggregate, &(struct aggregate_hit){.traced = &traced, .cpu = cpu});
}

static void assert_line(size_t line, uint64_t first_word, uint64_t part, uint64_t count)
{
    assert_int_equal(lines[line].key.words[0], first_word);
    assert_int_equal(lines[line].key.part, part);
    assert_int_equal(lines[line].count, count);
}

static void a_part_is_from_one_power_of_two_to_the_next(void **state)
{
    (void)state;
    assert_int_equal(aggregate_part(0, false), 0);
    assert_int_equal(aggregate_part(1, false), 1);
    for (unsigned bit = 1; bit < 64; bit++) {
        assert_int_equal(aggregate_part(1ull << bit, false), bit + 1);
        assert_int_equal(aggregate_part((1ull << bit) - 1, false), bit);
    }
    assert_int_equal(aggregate_part(UINT64_MAX, false), 64);
    assert_int_equal(aggregate_part(UINT64_MAX, true), AGGREGATE_PART_NEGATIVE);
    assert_int_equal(aggregate_part(INT64_MAX, true), 63);
}

static void hits_are_counted_by_key_and_the_most_comes_first(void **state)
{
    (void)state;
    want_key("size");
    for (unsigned i = 0; i < 10; i++)
        hit(0, 0, 7, 0, NULL);
    for (unsigned i = 0; i < 20; i++)
        hit(i % CPUS, 0, 9, 0, NULL);
    hit(3, 0, 0, 0, NULL);
    assert_int_equal(aggregate_lines(), 3);
    assert_line(0, 9, 0, 20);
    assert_line(1, 7, 0, 10);
    assert_line(2, 0, 0, 1);
    assert_int_equal(lost(), 0);
    aggregate_clear(&aggregate);
    assert_int_equal(aggregate_lines(), 0);
}

static void a_field_with_a_sign_keeps_it_and_a_text_is_a_key(void **state)
{
    (void)state;
    want_key("left");
    hit(0, 0, 0, -5, NULL);
    assert_int_equal(aggregate_lines(), 1);
    assert_line(0, (uint64_t)-5, 0, 1);
    aggregate_clear(&aggregate);

    want_key("name");
    hit(0, 0, 0, 0, "kernel_flag");
    hit(1, 0, 0, 0, "kernel_flag");
    hit(1, 0, 0, 0, "kernel_flags");
    hit(1, 0, 0, 0, NULL);
    assert_int_equal(aggregate_lines(), 3);
    assert_string_equal((const char *)lines[0].key.words, "kernel_flag");
    assert_int_equal(lines[0].count, 2);
}

static void names_and_cpus_are_keys(void **state)
{
    (void)state;
    aggregate.plan.by = AGGREGATE_BY_COMM;
    fake_task_rename("fs-stress");
    hit(0, 0, 0, 0, NULL);
    fake_task_rename("kworker/0");
    hit(2, 0, 0, 0, NULL);
    hit(3, 0, 0, 0, NULL);
    assert_int_equal(aggregate_lines(), 2);
    assert_string_equal((const char *)lines[0].key.words, "kworker/0");
    assert_string_equal((const char *)lines[1].key.words, "fs-stress");
    aggregate_clear(&aggregate);

    aggregate.plan.by = AGGREGATE_BY_CPU;
    hit(2, 0, 0, 0, NULL);
    hit(3, 0, 0, 0, NULL);
    hit(3, 0, 0, 0, NULL);
    assert_int_equal(aggregate_lines(), 2);
    assert_line(0, 3, 0, 2);
    assert_line(1, 2, 0, 1);
}

static void a_histogram_of_each_key_stands_together(void **state)
{
    (void)state;
    want_key("address");
    want_value("left");
    for (int left = -1; left < 4; left++)
        hit(0, 0x1000, 0, left, NULL);
    hit(1, 0x2000, 0, 3, NULL);
    assert_int_equal(aggregate_lines(), 5);
    assert_line(0, 0x1000, 0, 1);
    assert_line(1, 0x1000, 1, 1);
    assert_line(2, 0x1000, 2, 2);
    assert_line(3, 0x1000, AGGREGATE_PART_NEGATIVE, 1);
    assert_int_equal(lines[3].of_key, 5);
    assert_line(4, 0x2000, 2, 1);
}

/* Each hit is counted in a line, or as lost; a key that has a slot keeps it. */
static void what_has_no_room_is_counted(void **state)
{
    uint64_t sum = 0;
    size_t count;

    (void)state;
    want_key("size");
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t key = 0; key < 3 * AGGREGATE_TABLE_CELLS; key++)
            hit(1, 0, key, 0, NULL);
    count = aggregate_lines();
    assert_in_range(count, AGGREGATE_TABLE_CELLS * 9 / 10, AGGREGATE_TABLE_CELLS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(lines[i].count, 2);
        sum += lines[i].count;
    }
    assert_int_equal(sum + lost(), 6 * AGGREGATE_TABLE_CELLS);
    hit(2, 0, 1 << 20, 0, NULL); /* another CPU has its own table */
    assert_int_equal(aggregate_lines(), count + 1);
}

/* Many keys get a slot before the first is lost, whatever they have in common. */
static void keys_spread(void **state)
{
    (void)state;
    want_key("size");
    for (unsigned shift = 0; shift < 48; shift++) {
        aggregate_clear(&aggregate);
        for (uint64_t key = 0; key < AGGREGATE_TABLE_CELLS / 2; key++)
            hit(0, 0, 0xffffffff80000000 + (key << shift), 0, NULL);
        assert_int_equal(lost(), 0);
    }
}

/* --- Nested hits. --- */

/*
 * These keys start probing at the same slot, so a nested look-up meets the slot that is being
 * filled.
 */
static uint64_t near[5]; /* the first is 0 */

static void find_near(void)
{
    const struct aggregate_key zero = {.part = 0};

    for (uint64_t size = 1, count = 1; count < 5; size++) {
        const struct aggregate_key key = {.words = {size}};

        if ((aggregate_table_place(&key) - aggregate_table_place(&zero)) % AGGREGATE_TABLE_CELLS ==
            0)
            near[count++] = size;
    }
}

static void victim(void)
{
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t argument[] = {0, near[i]};
        struct trace_hit traced = {.tracepoint = &pitot_tracepoint_some, .argument = argument};
        struct aggregate_hit taken = {.traced = &traced};

        step_on();
        aggregate_add(&aggregate, &taken);
        step_off();
    }
}

/* Keys that the victim has, is about to add, and never adds. */
static void intrude(void)
{
    for (unsigned i = 0; i < 5; i++)
        hit(0, 0, near[i], 0, NULL);
}

static uint64_t count_of(uint64_t size, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].key.words[0] == size)
            return lines[i].count;
    return 0;
}

static const char *verdict(void)
{
    static char text[80];
    size_t count = aggregate_lines();

    for (unsigned i = 0; i < 5; i++) {
        uint64_t hits = count_of(near[i], count), expected = i >= 1 && i <= 3 ? 2 : 1;

        if (hits != expected) {
            snprintf(text, sizeof(text), "key %u: %llu", i, (unsigned long long)hits);
            return text;
        }
    }
    return count == 5 && lost() == 0 ? NULL : "there are others";
}

static void a_hit_may_come_between_any_two_instructions_of_another(void **state)
{
    const struct step_plan plan = {
        .victim = victim, .intrude = intrude, .verdict = verdict, .stride = 1};
    struct step_result result;

    (void)state;
    find_near();
    want_key("size");
    result = step_through(&plan);
    assert_in_range(result.boundaries, 100, 10000);
    assert_int_equal(result.wrong, 0);
}

/* --- Spans of time. --- */

static struct span_cpu spans[CPUS];
static struct aggregate begins;

static void want_spans(const char *field)
{
    aggregate.plan.role = AGGREGATE_ENDS;
    if (field) {
        aggregate.plan.span_field = field_find(&pitot_tracepoint_some, field, strlen(field));
        aggregate.plan.span = field_place_of(&pitot_tracepoint_some, aggregate.plan.span_field);
    }
    aggregate.spans = spans;
    aggregate.from = "test:begins";
    begins = (struct aggregate){.plan = aggregate.plan, .spans = spans};
    begins.plan.role = AGGREGATE_BEGINS;
    aggregate_clear(&begins);
}

/* A hit at that time, by that thread; returns the length of the span that it ends. */
static uint64_t span_hit(struct aggregate *of, unsigned cpu, uint32_t pid, uint64_t address,
                         uint64_t now)
{
    uint64_t argument[4] = {address};
    struct trace_hit traced = {
        .tracepoint = &pitot_tracepoint_some, .argument = argument, .cpu = cpu};

    task_ids[cpu] = task_ids_of(pid);
    fake_arch.clock = now;
    return aggregate_add(of, &(struct aggregate_hit){.traced = &traced, .cpu = cpu});
}

static void assert_sums(uint64_t again, uint64_t unbegun, uint64_t open, uint64_t lost)
{
    struct span_sums sums = {0};

    span_sums_add(&sums, spans);
    assert_int_equal(sums.again, again);
    assert_int_equal(sums.unbegun, unbegun);
    assert_int_equal(sums.open, open);
    assert_int_equal(sums.lost, lost);
}

static void a_span_is_of_one_thread_and_one_key(void **state)
{
    (void)state;
    want_spans("address");
    assert_int_equal(span_hit(&begins, 0, 1, 0x1000, 100), 0);
    assert_int_equal(span_hit(&begins, 0, 1, 0x2000, 200), 0);
    assert_int_equal(span_hit(&begins, 0, 2, 0x1000, 300), 0);
    assert_sums(0, 0, 3, 0);
    assert_int_equal(span_hit(&aggregate, 0, 1, 0x1000, 1124), 1024);
    assert_int_equal(span_hit(&aggregate, 0, 2, 0x1000, 301), 1);
    assert_int_equal(span_hit(&aggregate, 0, 2, 0x2000, 302), 0);
    assert_int_equal(span_hit(&aggregate, 1, 1, 0x2000, 303), 0); /* of another CPU */
    assert_sums(0, 2, 1, 0);
    assert_int_equal(aggregate_lines(), 2);
    assert_line(0, 0, 1, 1);
    assert_line(1, 0, 11, 1);
    assert_int_equal(span_hit(&aggregate, 0, 1, 0x1000, 2000), 0); /* it has already ended */
    assert_sums(0, 3, 1, 0);
}

static void the_later_beginning_counts(void **state)
{
    (void)state;
    want_spans(NULL);
    span_hit(&begins, 3, 7, 0x1000, 100);
    span_hit(&begins, 3, 7, 0x2000, 150);
    assert_int_equal(span_hit(&aggregate, 3, 7, 0x3000, 160), 10);
    assert_sums(1, 0, 0, 0);
}

static void beginnings_without_room_are_counted(void **state)
{
    uint64_t ended = 0;

    (void)state;
    want_spans("address");
    for (uint64_t key = 0; key < 2 * AGGREGATE_TABLE_CELLS; key++)
        span_hit(&begins, 0, 1, key, 100);
    for (uint64_t key = 0; key < 2 * AGGREGATE_TABLE_CELLS; key++)
        ended += span_hit(&aggregate, 0, 1, key, 104) == 4;
    assert_in_range(ended, AGGREGATE_TABLE_CELLS * 9 / 10, AGGREGATE_TABLE_CELLS);
    assert_sums(0, 2 * AGGREGATE_TABLE_CELLS - ended, 0, 2 * AGGREGATE_TABLE_CELLS - ended);
    aggregate_clear(&begins);
    assert_sums(0, 0, 0, 0);
}

/* The victim ends a span; the nested hits end it too, and begin and end another. */
static void end_victim(void)
{
    uint64_t argument[4] = {0x1000}, time;
    struct trace_hit traced = {.tracepoint = &pitot_tracepoint_some, .argument = argument};
    struct aggregate_hit taken = {.traced = &traced};

    span_hit(&begins, 0, 1, 0x1000, 100);
    fake_arch.clock = 200;
    step_on();
    time = aggregate_add(&aggregate, &taken);
    step_off();
    (void)time;
}

static void end_intrude(void)
{
    span_hit(&aggregate, 0, 1, 0x1000, 200);
    span_hit(&begins, 0, 1, 0x2000, 200);
    span_hit(&aggregate, 0, 1, 0x2000, 208);
    fake_arch.clock = 200;
}

/* Two of the three ends match a beginning, in whatever order they came. */
static const char *end_verdict(void)
{
    struct span_sums sums = {0};
    size_t count = aggregate_lines();

    span_sums_add(&sums, spans);
    if (count != 2 || lines[0].count != 1 || lines[1].count != 1)
        return "not two times";
    return sums.unbegun == 1 && sums.open == 0 && sums.again == 0 ? NULL : "an end too many";
}

static void a_beginning_is_ended_once(void **state)
{
    const struct step_plan plan = {
        .victim = end_victim, .intrude = end_intrude, .verdict = end_verdict, .stride = 1};
    struct step_result result;

    (void)state;
    want_spans("address");
    result = step_through(&plan);
    assert_in_range(result.boundaries, 50, 10000);
    assert_int_equal(result.wrong, 0);
}

/* --- Printing. --- */

static char printed[4000];

static void printed_write(struct sink *sink, const char *bytes, size_t length)
{
    size_t used = strlen(printed);

    (void)sink;
    assert_true(used + length < sizeof(printed));
    memcpy(printed + used, bytes, length);
    printed[used + length] = '\0';
}

static void assert_prints(const char *expected)
{
    struct sink sink = {printed_write};
    struct aggregate_sums sums = {.lines = lines, .most = aggregate_lines_most()};

    printed[0] = '\0';
    aggregate_sums_add(&sums, &aggregate);
    aggregate_print(&sink, "test:some", &aggregate, &sums);
    assert_string_equal(printed, expected);
}

static void it_is_printed_in_columns(void **state)
{
    (void)state;
    want_key("address");
    hit(0, 0xffffffff80001000, 0, 0, NULL);
    hit(0, 0xffffffff80001000, 0, 0, NULL);
    hit(0, 0x10, 0, 0, NULL);
    assert_prints(" test:some, by address:\n\n"
                  "                 2      0xffffffff80001000\n"
                  "                 1      0x10\n\n");
    aggregate_clear(&aggregate);
    want_value("size");
    aggregate.plan.by = AGGREGATE_BY_NOTHING;
    hit(0, 0, 0, 0, NULL);
    hit(0, 0, 1, 0, NULL);
    for (unsigned i = 0; i < 40; i++)
        hit(0, 0, 1000, 0, NULL);
    hit(0, 0, UINT64_MAX, 0, NULL);
    cpus[1].lost = 7;
    assert_prints(" test:some, size:\n\n"
                  "                 1      0                         *\n"
                  "                 1      1                         *\n"
                  "                40      512 to 1023               "
                  "****************************************\n"
                  "                 1      9223372036854775808 to 18446744073709551615  *\n"
                  "                 7      hits of keys for which a CPU's table of 1024 had no "
                  "room\n\n");
    aggregate_clear(&aggregate);
    want_value("left");
    aggregate.plan.by = AGGREGATE_BY_CPU;
    hit(1, 0, 0, -1, NULL);
    assert_prints(" test:some, left, by cpu:\n\n"
                  "                 1      CPU 1\n"
                  "                 1        below 0                   "
                  "****************************************\n\n");
    aggregate_clear(&aggregate);
    aggregate.plan = (struct aggregate_plan){.by = AGGREGATE_BY_NOTHING};
    want_spans("address");
    span_hit(&begins, 0, 1, 0x1000, 100);
    span_hit(&begins, 0, 1, 0x1000, 101);
    span_hit(&aggregate, 0, 1, 0x1000, 102);
    span_hit(&aggregate, 0, 1, 0x1000, 102);
    span_hit(&begins, 0, 1, 0x1000, 103);
    assert_prints(" test:begins to test:some, ns, in one thread and address:\n\n"
                  "                 1      1                         "
                  "****************************************\n"
                  "                 1      began again before they ended: the later beginning "
                  "counts\n"
                  "                 1      ended and had not begun\n"
                  "                 1      had not ended\n\n");
}

static void a_mark_tells_what_came_since_the_one_before(void **state)
{
    (void)state;
    want_key("size");
    hit(0, 0, 7, 0, NULL);
    hit(1, 0, 7, 0, NULL);
    hit(1, 0, 8, 0, NULL);
    aggregate_mark(&aggregate);
    hit(1, 0, 8, 0, NULL);
    assert_int_equal(aggregate_lines_marked(&aggregate, lines), 2);
    assert_line(0, 7, 0, 2);
    assert_line(1, 8, 0, 1);
    hit(2, 0, 9, 0, NULL);
    aggregate_mark(&aggregate);
    assert_int_equal(aggregate_lines_marked(&aggregate, lines), 2);
    assert_line(0, 8, 0, 1);
    assert_line(1, 9, 0, 1);
    aggregate_mark(&aggregate);
    assert_int_equal(aggregate_lines_marked(&aggregate, lines), 0);
    assert_int_equal(aggregate_lines(), 3);
}

static void runs_are_added_up(void **state)
{
    struct aggregate_sums sums = {.lines = lines, .most = 2};

    (void)state;
    want_key("size");
    hit(0, 0, 7, 0, NULL);
    hit(3, 0, 7, 0, NULL);
    hit(1, 0, 8, 0, NULL);
    cpus[1].lost = 5;
    aggregate_sums_add(&sums, &aggregate);
    aggregate_clear(&aggregate);
    for (unsigned i = 0; i < 4; i++)
        hit(1, 0, 8, 0, NULL);
    hit(2, 0, 9, 0, NULL);
    cpus[0].lost = 2;
    aggregate_sums_add(&sums, &aggregate);
    assert_int_equal(sums.runs, 2);
    assert_int_equal(sums.lost, 7);
    assert_int_equal(sums.count, 2);
    assert_line(0, 8, 0, 5);
    assert_line(1, 7, 0, 2);
    assert_int_equal(sums.beyond, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_part_is_from_one_power_of_two_to_the_next, setup),
        cmocka_unit_test_setup(hits_are_counted_by_key_and_the_most_comes_first, setup),
        cmocka_unit_test_setup(a_field_with_a_sign_keeps_it_and_a_text_is_a_key, setup),
        cmocka_unit_test_setup(names_and_cpus_are_keys, setup),
        cmocka_unit_test_setup(a_histogram_of_each_key_stands_together, setup),
        cmocka_unit_test_setup(what_has_no_room_is_counted, setup),
        cmocka_unit_test_setup(a_mark_tells_what_came_since_the_one_before, setup),
        cmocka_unit_test_setup(runs_are_added_up, setup),
        cmocka_unit_test_setup(keys_spread, setup),
        cmocka_unit_test_setup(a_hit_may_come_between_any_two_instructions_of_another, setup),
        cmocka_unit_test_setup(a_span_is_of_one_thread_and_one_key, setup),
        cmocka_unit_test_setup(the_later_beginning_counts, setup),
        cmocka_unit_test_setup(beginnings_without_room_are_counted, setup),
        cmocka_unit_test_setup(a_beginning_is_ended_once, setup),
        cmocka_unit_test_setup(it_is_printed_in_columns, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

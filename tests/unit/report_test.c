/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report's text for a small recording (as the real perf 6.1 prints it), a threshold, too little
 * memory, no samples, and very many. tests/host/report_perf.t compares with perf itself.
 *
 * links: tests/host/fake_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/errno.h>

#include "core/report/percent.h"
#include "core/report/report.h"
#include "core/sample/records.h"
#include "tests/host/fake_symbols.h"

#define EVENT_ID 7
#define OUTSIDE  0x1234 /* in no function */

static const struct recorded_event event = {
    .id = EVENT_ID,
    .attr = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
             .sample_period = 1},
    .name = "mem:x:w"};

const char *comm_of(uint32_t tid)
{
    return tid == 1 ? "init" : "";
}

/* Without a threshold. */
static const struct report_options caller_first = {
    .callgraph = true, .caller = true, .keys = REPORT_KEYS_SYMBOL, .max_stack = CHAIN_WALK_MOST};
static const struct report_options callee_first = {
    .callgraph = true, .keys = REPORT_KEYS_SYMBOL, .max_stack = CHAIN_WALK_MOST};
static const struct report_options flat = {.callgraph = false, .keys = REPORT_KEYS_SYMBOL};

/* A source that generates each sample when it is read. */
struct made_up {
    struct record_source source;
    void (*make)(struct made_up *made_up, size_t index);
    size_t count, index;
    struct {
        struct perf_event_header header;
        uint64_t words[3 + PERF_MAX_STACK_DEPTH];
    } record;
};

static void rewind_made_up(struct record_source *source)
{
    ((struct made_up *)source)->index = 0;
}

static const struct perf_event_header *next_made_up(struct record_source *source)
{
    struct made_up *made_up = (struct made_up *)source;

    if (made_up->index == made_up->count)
        return NULL;
    made_up->make(made_up, made_up->index++);
    return &made_up->record.header;
}

static void set_sample(struct made_up *made_up, const uint64_t *chain, size_t length)
{
    made_up->record.header = (struct perf_event_header){
        .type = PERF_RECORD_SAMPLE,
        .misc = PERF_RECORD_MISC_KERNEL,
        .size = (uint16_t)(sizeof(struct perf_event_header) + (3 + length) * sizeof(uint64_t))};
    made_up->record.words[0] = EVENT_ID;
    made_up->record.words[1] = chain[0];
    made_up->record.words[2] = length;
    memcpy(&made_up->record.words[3], chain, length * sizeof(uint64_t));
}

static uint64_t function(size_t index)
{
    return fake_symbols_at(index).address;
}

struct text_sink {
    struct sink sink;
    char text[4096];
    size_t length; /* of the whole text; `text` keeps what fits */
};

static void write_text(struct sink *sink, const char *bytes, size_t length)
{
    struct text_sink *out = (struct text_sink *)sink;

    for (size_t i = 0; i < length; i++, out->length++) {
        if (out->length < sizeof(out->text) - 1)
            out->text[out->length] = bytes[i];
    }
}

static int report(struct text_sink *out, void (*make)(struct made_up *, size_t), size_t count,
                  struct report_options options, size_t size)
{
    struct made_up made_up = {
        .source = {rewind_made_up, next_made_up, &event, 1}, .make = make, .count = count};
    char *memory = malloc(size + 1);

    assert_non_null(memory);
    *out = (struct text_sink){.sink = {write_text}};
    int error = report_print(&out->sink, &made_up.source, &options, memory, size);
    free(memory);
    return error;
}

/* From 4 paths to one place, one of them twice, and from an unknown path. */
static void make_small(struct made_up *made_up, size_t index)
{
    const uint64_t chains[][4] = {
        {function(1), function(2) + 4, function(3) + 1, function(4) + 2},
        {function(1), function(2) + 5, function(3) + 2, function(4) + 2},
        {function(1), function(2) + 4, function(5) + 1, function(4) + 3},
        {function(1), OUTSIDE, function(6), function(7)},
        {OUTSIDE, function(6), function(6) + 1, function(7)},
    };

    set_sample(made_up, chains[index], 4);
}

static void a_small_recording_reads_as_perf_prints_it(void **state)
{
    (void)state;
    struct text_sink out;

    assert_int_equal(report(&out, make_small, 5, caller_first, 8192), 0);
    assert_string_equal(out.text, "# Samples: 5  of event 'mem:x:w'\n"
                                  "# Event count (approx.): 5\n"
                                  "#\n"
                                  "# Overhead       Samples  Symbol                \n"
                                  "# ........  ............  ......................\n"
                                  "#\n"
                                  "    80.00%             4  [k] x\n"
                                  "            |          \n"
                                  "            |--60.00%--sys_rename_with_a_rather_long_name\n"
                                  "            |          |          \n"
                                  "            |          |--40.00%--sys_write\n"
                                  "            |          |          sys_open\n"
                                  "            |          |          x\n"
                                  "            |          |          \n"
                                  "            |           --20.00%--helper\n"
                                  "            |                     sys_open\n"
                                  "            |                     x\n"
                                  "            |          \n"
                                  "             --20.00%--vfs_write\n"
                                  "                       vfs_open\n"
                                  "                       0x1234\n"
                                  "                       x\n"
                                  "\n"
                                  "    20.00%             1  [k] 0x0000000000001234\n"
                                  "            |\n"
                                  "            ---vfs_write\n"
                                  "               vfs_open\n"
                                  "               vfs_open\n"
                                  "               0x1234\n"
                                  "\n"
                                  "\n");
}

/*
 * perf turns the percentage into a period and truncates it: 2 of 5 are enough for 59.9999 per cent,
 * which is 2.999995. A fork is still drawn if only one of its branches is printed.
 */
static void branches_below_the_threshold_are_left_out(void **state)
{
    (void)state;
    struct text_sink out;
    struct report_options options = caller_first;

    options.threshold = 60 * PERCENT_UNITS - 1;
    assert_int_equal(report(&out, make_small, 5, options, 8192), 0);
    assert_string_equal(strstr(out.text, "    80.00%"),
                        "    80.00%             4  [k] x\n"
                        "            |          \n"
                        "             --60.00%--sys_rename_with_a_rather_long_name\n"
                        "                       |          \n"
                        "                        --40.00%--sys_write\n"
                        "                                  sys_open\n"
                        "                                  x\n"
                        "\n"
                        "    20.00%             1  [k] 0x0000000000001234\n"
                        "\n");
    options.threshold++;
    assert_int_equal(report(&out, make_small, 5, options, 8192), 0);
    assert_null(strstr(out.text, "sys_write"));
    assert_non_null(strstr(out.text, "             --60.00%--sys_rename"));
}

static void without_call_graphs_there_is_a_line_for_each_place(void **state)
{
    (void)state;
    struct text_sink out;

    assert_int_equal(report(&out, make_small, 5, flat, 8192), 0);
    assert_non_null(strstr(out.text, "#\n    80.00%             4  [k] x\n"
                                     "    20.00%             1  [k] 0x0000000000001234\n\n"));
}

static void no_samples_are_an_error_with_a_line(void **state)
{
    (void)state;
    struct text_sink out;

    assert_int_equal(report(&out, make_small, 0, caller_first, 8192), -ENODATA);
    assert_string_equal(out.text, "perf report: the recording has no samples\n");
}

/*
 * Whatever the size, no byte outside of it is touched (the sanitizer watches), and nothing wrong is
 * printed.
 */
static void too_little_memory_is_an_error_that_says_what_fitted(void **state)
{
    (void)state;
    struct text_sink whole, out;
    bool fitted = false;

    assert_int_equal(report(&whole, make_small, 5, caller_first, 8192), 0);
    for (size_t size = 0; size < 2048; size++) {
        int error = report(&out, make_small, 5, caller_first, size);
        if (error == 0) {
            assert_string_equal(out.text, whole.text);
            fitted = true;
        } else {
            assert_int_equal(error, -ENOMEM);
            assert_false(fitted);
            assert_non_null(strstr(out.text, " bytes of memory hold only the first "));
        }
    }
    assert_true(fitted);
}

/* A hundred thousand samples with few distinct chains. */
static void make_alike(struct made_up *made_up, size_t index)
{
    uint64_t chain[10];

    for (size_t i = 0; i < 10; i++)
        chain[i] = function((index % 7 * i) % 30) + index % 16;
    set_sample(made_up, chain, 10);
}

static void memory_is_needed_for_distinct_chains_only(void **state)
{
    (void)state;
    struct text_sink out;

    assert_int_equal(report(&out, make_alike, 7, caller_first, 8192), 0);
    assert_int_equal(report(&out, make_alike, 100000, caller_first, 8192), 0);
    assert_non_null(strstr(out.text, "# Samples: 100K of event 'mem:x:w'\n"
                                     "# Event count (approx.): 100000\n"));
}

/*
 * A hundred thousand callers of one place, in falling order: a quadratic algorithm would take
 * minutes.
 */
static void make_callers(struct made_up *made_up, size_t index)
{
    const uint64_t chain[] = {function(1), 1000000 - index};

    set_sample(made_up, chain, 2);
}

static void very_many_callers_of_one_place_are_no_trouble(void **state)
{
    (void)state;
    struct text_sink out;

    assert_int_equal(report(&out, make_callers, 100000, callee_first, 16 << 20), 0);
    assert_non_null(strstr(out.text, "#\n   100.00%        100000  [k] x\n"
                                     "            |\n"
                                     "            ---x\n"
                                     "               |          \n"
                                     "               |--0.00%--0xf4240\n"
                                     "               |          \n"
                                     "               |--0.00%--0xf423f\n"));
}

/* A fork at each place of the longest chain: sample i leaves the common path after i places. */
static void make_comb(struct made_up *made_up, size_t index)
{
    uint64_t chain[PERF_MAX_STACK_DEPTH];

    for (size_t i = 0; i < PERF_MAX_STACK_DEPTH; i++)
        chain[i] = function(1 + i % 2);
    chain[index] = function(3);
    chain[0] = function(1);
    set_sample(made_up, chain, PERF_MAX_STACK_DEPTH);
}

static void a_fork_at_every_place_of_the_longest_chain_is_printed(void **state)
{
    (void)state;
    static struct text_sink out;

    assert_int_equal(report(&out, make_comb, PERF_MAX_STACK_DEPTH, callee_first, 4 << 20), 0);
    assert_true(out.length > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_recording_reads_as_perf_prints_it),
        cmocka_unit_test(branches_below_the_threshold_are_left_out),
        cmocka_unit_test(without_call_graphs_there_is_a_line_for_each_place),
        cmocka_unit_test(no_samples_are_an_error_with_a_line),
        cmocka_unit_test(too_little_memory_is_an_error_that_says_what_fitted),
        cmocka_unit_test(memory_is_needed_for_distinct_chains_only),
        cmocka_unit_test(very_many_callers_of_one_place_are_no_trouble),
        cmocka_unit_test(a_fork_at_every_place_of_the_longest_chain_is_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

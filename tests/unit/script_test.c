/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Script lines, column for column (taken from the real perf 6.1), and records of random bytes, as a
 * panic may find them. tests/host/report_perf.t compares with perf itself.
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

#include "core/sample/records.h"
#include "core/script/script.h"
#include "tests/host/fake_symbols.h"

#define PLAIN_TYPE                                                                                 \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

enum { CHAINED, PLAIN, BARE, BRANCHES, EVENTS };

static const struct recorded_event events[EVENTS] = {
    [CHAINED] = {.id = 1,
                 .attr = {.sample_type = PLAIN_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR,
                          .sample_regs_intr = 1 << 0 | 1 << 9 | 1 << 23},
                 .name = "mem:x:rw"},
    [PLAIN] = {.id = 2, .attr = {.sample_type = PLAIN_TYPE}, .name = "mem:longer:w"},
    [BRANCHES] = {.id = 4,
                  .attr = {.type = PERF_TYPE_HARDWARE,
                           .sample_period = 1,
                           .sample_type = (PLAIN_TYPE | PERF_SAMPLE_ADDR) & ~PERF_SAMPLE_PERIOD},
                  .name = "branches"},
    [BARE] = {.id = 3, .attr = {.sample_type = PERF_SAMPLE_IDENTIFIER}, .name = "bare"},
};

struct text_sink {
    struct sink sink;
    char text[8192];
    size_t length;
};

const char *comm_of(uint32_t tid)
{
    return tid == 2 ? "fs-stress" : "";
}

static void write_text(struct sink *sink, const char *bytes, size_t length)
{
    struct text_sink *out = (struct text_sink *)sink;

    for (size_t i = 0; i < length && out->length < sizeof(out->text) - 1; i++)
        out->text[out->length++] = bytes[i];
    out->text[out->length] = '\0';
}

#define RECORD(...)                                                                                \
    {                                                                                              \
        PERF_RECORD_SAMPLE | (sizeof((uint64_t[]){__VA_ARGS__}) + 8) << 48, __VA_ARGS__            \
    }

static bool print_sample(struct text_sink *out, const void *record, bool registers)
{
    const struct script_options options = {.registers = registers};

    *out = (struct text_sink){.sink = {write_text}};
    return script_print_sample(&out->sink, record, events, EVENTS, &options);
}

static void a_sample_without_chain_is_one_line(void **state)
{
    (void)state;
    struct text_sink out;
    const uint64_t known[] = RECORD(2, FAKE_TEXT + 4, UINT64_C(2) << 32 | 2, 1001234999, 0, 1);
    const uint64_t unknown[] = RECORD(2, 0x1234, UINT64_C(70000) << 32, 100000000000, 12, 100);

    assert_true(print_sample(&out, known, true));
    assert_string_equal(out.text, "       fs-stress     2 [000]     1.001234:          1 "
                                  "mem:longer:w:  ffffffff80100004 _text+0x4\n");
    assert_true(print_sample(&out, unknown, false));
    assert_string_equal(out.text, "          :70000 70000 [012]   100.000000:        100 "
                                  "mem:longer:w:              1234 [unknown]\n");
}

static void a_chain_follows_on_lines_of_its_own_and_registers_end_it(void **state)
{
    (void)state;
    struct text_sink out;
    const uint64_t record[] =
        RECORD(1, FAKE_TEXT + 4, UINT64_C(2) << 32, 5, 1, 7, 3, (uint64_t)PERF_CONTEXT_KERNEL,
               FAKE_TEXT + 4, 0x10, 2, 0xa, 0x202, 0xf);

    assert_true(print_sample(&out, record, false));
    assert_string_equal(out.text, "fs-stress     2 [001]     0.000000:          7     mem:x:rw: \n"
                                  "\tffffffff80100004 _text+0x4\n"
                                  "\t              10 [unknown]\n"
                                  "\n");
    assert_true(print_sample(&out, record, true));
    assert_string_equal(out.text, "fs-stress     2 [001]     0.000000:          7     mem:x:rw: \n"
                                  "\tffffffff80100004 _text+0x4\n"
                                  "\t              10 [unknown]\n"
                                  " ABI:2    AX:0xa FLAGS:0x202   R15:0xf \n");
}

static void a_branch_leads_from_one_place_to_another(void **state)
{
    (void)state;
    struct text_sink out;
    const uint64_t record[] =
        RECORD(4, FAKE_TEXT + 4, UINT64_C(2) << 32 | 2, 1001234999, FAKE_TEXT + 9, 0);

    assert_true(print_sample(&out, record, false));
    assert_string_equal(out.text, "       fs-stress     2 [000]     1.001234:          1 "
                                  "    branches:  ffffffff80100004 _text+0x4 => ffffffff80100009 "
                                  "_text+0x9\n");
}

static void absent_fields_are_left_out(void **state)
{
    (void)state;
    struct text_sink out;
    const uint64_t record[] = RECORD(3);

    assert_true(print_sample(&out, record, true));
    assert_string_equal(out.text, "         0         bare: \n");
}

static void what_is_not_a_whole_sample_prints_nothing(void **state)
{
    (void)state;
    struct text_sink out;
    uint64_t record[] = RECORD(2, FAKE_TEXT + 4, 2, 1001234999, 0);

    assert_false(print_sample(&out, record, true));
    assert_int_equal(out.length, 0);
}

/* With exactly its own size, so that the sanitizer detects each byte read past its end. */
static void print_exactly(const uint64_t *words)
{
    struct text_sink out;
    size_t size = ((const struct perf_event_header *)words)->size;
    void *record = malloc(size < 8 ? 8 : size);

    assert_non_null(record);
    memcpy(record, words, size < 8 ? 8 : size);
    if (!print_sample(&out, record, true))
        assert_int_equal(out.length, 0);
    free(record);
}

static void no_record_can_lead_it_astray(void **state)
{
    (void)state;
    const uint64_t good[40] =
        RECORD(1, FAKE_TEXT + 4, UINT64_C(2) << 32, 5, 1, 7, 3, (uint64_t)PERF_CONTEXT_KERNEL,
               FAKE_TEXT + 4, 0x10, 2, 0xa, 0x202, 0xf);
    uint64_t words[40];

    srand(1);
    for (int i = 0; i < 100000; i++) {
        memcpy(words, good, sizeof(words));
        for (int changes = rand() % 8; changes > 0; changes--)
            ((unsigned char *)words)[rand() % 120] = (unsigned char)rand();
        if (i % 2) /* lets more of them pass the first check */
            words[0] = good[0];
        struct perf_event_header *header = (struct perf_event_header *)words;
        header->size %= sizeof(words) + 1;
        print_exactly(words);
    }
}

struct list {
    struct record_source source;
    const uint64_t *records[3];
    size_t next;
};

static void rewind_list(struct record_source *source)
{
    ((struct list *)source)->next = 0;
}

static const struct perf_event_header *next_of_list(struct record_source *source)
{
    struct list *list = (struct list *)source;

    return list->next < 3 ? (const void *)list->records[list->next++] : NULL;
}

static void a_recording_prints_its_samples_and_counts_them(void **state)
{
    (void)state;
    const uint64_t sample[] = RECORD(3);
    const uint64_t other[] = {PERF_RECORD_LOST | UINT64_C(8) << 48};
    struct list list = {{rewind_list, next_of_list, events, EVENTS}, {sample, other, sample}, 2};
    struct text_sink out = {.sink = {write_text}};
    const struct script_options options = {.registers = false};
    bool more;

    assert_int_equal(script_print(&out.sink, &list.source, &options, &more), 2);
    assert_false(more);
    assert_string_equal(out.text, "         0         bare: \n         0         bare: \n");
}

static void a_limit_leaves_samples_and_says_so(void **state)
{
    (void)state;
    const uint64_t sample[] = RECORD(3);
    const uint64_t other[] = {PERF_RECORD_LOST | UINT64_C(8) << 48};
    struct list list = {{rewind_list, next_of_list, events, EVENTS}, {sample, other, sample}, 2};
    struct text_sink out = {.sink = {write_text}};
    struct script_options options = {.max_events = 1};
    bool more;

    assert_int_equal(script_print(&out.sink, &list.source, &options, &more), 1);
    assert_true(more);
    options.max_events = 2; /* all samples: none is left */
    assert_int_equal(script_print(&out.sink, &list.source, &options, &more), 2);
    assert_false(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_without_chain_is_one_line),
        cmocka_unit_test(a_chain_follows_on_lines_of_its_own_and_registers_end_it),
        cmocka_unit_test(a_branch_leads_from_one_place_to_another),
        cmocka_unit_test(absent_fields_are_left_out),
        cmocka_unit_test(what_is_not_a_whole_sample_prints_nothing),
        cmocka_unit_test(no_record_can_lead_it_astray),
        cmocka_unit_test(a_recording_prints_its_samples_and_counts_them),
        cmocka_unit_test(a_limit_leaves_samples_and_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

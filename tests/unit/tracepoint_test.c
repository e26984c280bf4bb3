/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints on the host: patterns, filters (matches, refusals, random text), and the layout of
 * records and descriptions.
 *
 * links: tests/unit/fake_task.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c tests/host/fake_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/glob.h"
#include "core/task.h"
#include "core/tracepoint/filter.h"
#include "core/tracepoint/format.h"
#include "tests/host/fake_symbols.h"

PITOT_TRACEPOINT(unit, every, 5, PITOT_FIELD(s32, small, "small=%d"),
                 PITOT_FIELD(u32, count, " count=%u"), PITOT_FIELD(u64, large, " large=%lu"),
                 PITOT_FIELD(s64, change, " change=%ld"), PITOT_FIELD(text, name, " name=%s"));

PITOT_TRACEPOINT(another, hex, 3, PITOT_FIELD(u32, low, "low=0x%x"),
                 PITOT_FIELD(pointer, place, " at %p"), PITOT_FIELD(u64, high, " high=0x%lx!"));

PITOT_TRACEPOINT(unit, call, 1, PITOT_FIELD(function, what, "func=%ps"));

PITOT_TRACEPOINT(unit, places, 8, PITOT_FIELD(function, function, "function=%ps"),
                 PITOT_FIELD(code, place, " place=%pS"), PITOT_FIELD(u32, a, " a=%u"),
                 PITOT_FIELD(u32, b, " b=%u"), PITOT_FIELD(s32, c, " c=%d"),
                 PITOT_FIELD(s64, d, " d=%ld"), PITOT_FIELD(u64, e, " e=%lu"),
                 PITOT_FIELD(text, f, " f=%s"));

/* The same as unit:places, without a function of its own. */
static struct pitot_field completed_fields[] = {
    {"function", "function=%ps", PITOT_KIND_function, 0, 8},
    {"place", " place=%pS", PITOT_KIND_code, 0, 8},
    {"a", " a=%u", PITOT_KIND_u32, 0, 4},
    {"b", " b=%u", PITOT_KIND_u32, 0, 4},
    {"c", " c=%d", PITOT_KIND_s32, 0, 4},
    {"d", " d=%ld", PITOT_KIND_s64, 0, 8},
    {"e", " e=%lu", PITOT_KIND_u64, 0, 8},
    {"f", " f=%s", PITOT_KIND_text, 0, 16},
    {"g", " g=%s", PITOT_KIND_text, 0, 16},
    {"h", " h=%s", PITOT_KIND_text, 0, 16},
};
static struct pitot_tracepoint completed = {.full_name = "unit:completed",
                                            .name = "completed",
                                            .field = completed_fields,
                                            .field_count = 8,
                                            .in_memory = 1};
__attribute__((section("pitot_tracepoints"), used)) static struct pitot_tracepoint *const entry =
    &completed;

/* The record's first word, and those of pid and tgid. */
static const struct pitot_record_every sample = {.head = {9, -7, 70},
                                                 .field_small = -3,
                                                 .field_count = 4000000000u,
                                                 .field_large = UINT64_MAX - 1,
                                                 .field_change = -5000000000,
                                                 .field_name = {"kernel_flag"}};

/* The hit for which `sample` is the record; upper halves are ignored. */
static const struct arch_place every_place = {
    .argument = {0x1234567800000000 | (uint32_t)-3, 0x8765432100000000 | 4000000000u,
                 UINT64_MAX - 1, (uint64_t)-5000000000, (uintptr_t) "kernel_flag"},
    .flags = FLAGS_INTERRUPT};

static struct trace_hit hit_of(struct pitot_tracepoint *tracepoint, const struct arch_place *place,
                               int32_t pid, int32_t tgid)
{
    return (struct trace_hit){.tracepoint = tracepoint,
                              .place = place,
                              .argument = (uint64_t *)place->argument,
                              .ids = (uint64_t)pid << 32 | (uint32_t)tgid};
}

static struct trace_hit sample_hit(void)
{
    pitot_tracepoint_every.id = (uint16_t)sample.head[0];
    return hit_of(&pitot_tracepoint_every, &every_place, sample.head[1], sample.head[2]);
}

static char text[4000];
static size_t text_length;

static void text_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    assert_true(text_length + length < sizeof(text));
    memcpy(text + text_length, bytes, length);
    text_length += length;
    text[text_length] = '\0';
}

static struct sink *text_sink(void)
{
    static struct sink sink = {text_write};

    text_length = 0;
    text[0] = '\0';
    return &sink;
}

static void stars_and_question_marks_match(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"*", "", true},
        {"*", "x", true},
        {"", "", true},
        {"", "x", false},
        {"?", "", false},
        {"?", "x", true},
        {"a*c", "ac", true},
        {"a*c", "abcbc", true},
        {"a*c", "abcb", false},
        {"*:*", "lock:x", true},
        {"*:*", "lock", false},
        {"lock:*", "lock:", true},
        {"lo?k:*e", "lock:release", true},
        {"*a*b*c", "xaybzc", true},
        {"*a*b*c", "xaybz", false},
        {"a**b", "ab", true},
        {"**", "", true},
        {"*aab", "aaaab", true},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(glob_match(cases[i].pattern, cases[i].text), cases[i].matches);
    assert_true(glob_is_pattern("a?") && glob_is_pattern("*") && !glob_is_pattern("a:b"));
}

/* The definition of a pattern, simple and slow. */
static bool glob_by_definition(const char *pattern, const char *of)
{
    if (*pattern == '*')
        return glob_by_definition(pattern + 1, of) || (*of && glob_by_definition(pattern, of + 1));
    if (*of == '\0' || *pattern == '\0')
        return *of == *pattern;
    return (*pattern == '?' || *pattern == *of) && glob_by_definition(pattern + 1, of + 1);
}

static void any_pattern_matches_what_its_definition_says(void **state)
{
    (void)state;
    srand(4);
    for (unsigned round = 0; round < 200000; round++) {
        char pattern[8] = "", of[10] = "";

        for (int i = rand() % 8 - 1; i >= 0; i--)
            pattern[i] = "ab*?"[rand() % 4];
        for (int i = rand() % 10 - 1; i >= 0; i--)
            of[i] = "ab"[rand() % 2];
        assert_int_equal(glob_match(pattern, of), glob_by_definition(pattern, of));
    }
}

/* The filter has this condition alone. */
static int compile(struct filter *filter, const char *words,
                   const struct pitot_tracepoint *tracepoint, struct refusal *why)
{
    filter->count = 0;
    return filter_add(filter, words, tracepoint, why);
}

static bool passes(const char *filter_text)
{
    struct trace_hit hit = sample_hit();
    struct filter filter;
    struct refusal why;

    if (compile(&filter, filter_text, &pitot_tracepoint_every, &why) != 0)
        fail_msg("%s: %s", filter_text, why.text);
    return filter_passes(&filter, &hit);
}

static void a_filter_says_what_it_says(void **state)
{
    static const char *const pass[] = {
        "small == -3",
        "small < 0",
        "small<=-3",
        "small >= -3",
        "small != 3",
        "!small == 3",
        "count == 4000000000",
        "count > 3999999999",
        "count == 0xEE6b2800",
        "count & 0x80000000",
        "large > 5",
        "large == 0xfffffffffffffffe",
        "change < -4999999999",
        "change<0",
        "name == \"kernel_flag\"",
        "name ~ \"ker*\"",
        "name != \"pages\"",
        "comm == \"pitot\"",
        "comm ~ \"p?t*\"",
        "common_pid == -7",
        "common_tgid == 70",
        "common_type == 9",
        "small == 1 || small == -3",
        "small == 1 && small == 2 || small == -3",
        "small == -3 || small == 1 && small == 2",
        "!(small == 1 || small == 2)",
        "!!(small == -3)",
        "(((small == -3)))",
        "  small==-3&&count>1&&(large>1||large<1)  ",
        "!(small == -3 && small == 1)",
    };
    static const char *const fail[] = {
        "small == 3",
        "small > 0",
        "count < 0x10",
        "count & 0xff",
        "large < 5",
        "change > 0",
        "name == \"kernel\"",
        "name ~ \"ker\"",
        "!name ~ \"*\"",
        "comm == \"\"",
        "small == -3 && small == 1",
        "(small == -3 || small == 1) && small == 1",
        "!(small == -3)",
        "small == 1 || small == 2 || small == 4",
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(pass) / sizeof(pass[0]); i++)
        if (!passes(pass[i]))
            fail_msg("does not pass: %s", pass[i]);
    for (unsigned i = 0; i < sizeof(fail) / sizeof(fail[0]); i++)
        if (passes(fail[i]))
            fail_msg("passes: %s", fail[i]);
}

static void what_is_wrong_with_a_filter_is_named(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "a field's name missing at the end"},
        {"order > 2",
         "no field \"order\"; it has small, count, large, change, name, comm, common_*"},
        {"small", "a comparison (== != < <= > >= & ~) missing"},
        {"small = 3", "\"= 3\" where a comparison"},
        {"small && 3", "where a comparison"},
        {"small ==", "a number missing"},
        {"small == x", "\"x\" where a number, or a field that holds one"},
        {"small == 18446744073709551616", "where a number of 64 bits"},
        {"count < -1", "count has no sign, so it is never below 0"},
        {"large == -1", "large has no sign"},
        {"small == 3 count", "\"count\" where &&, || or the end"},
        {"(small == 3", "&&, || or ) missing"},
        {"small == 3)", "\")\" where &&, || or the end"},
        {"small == 3 &&", "a field's name missing"},
        {"small ~ \"x\"", "small is a number"},
        {"name < \"x\"", "name is a string"},
        {"name & \"x\"", "name is a string"},
        {"name == x", "\"x\" where a string between"},
        {"name == \"x", "a string has at most"},
        {"name == \"123456789012345678901234\"", "at most 23 characters"},
        {"!!!!!!!!!small == 3", "nested more deeply than 8"},
    };
    struct filter filter;
    struct refusal why;

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(compile(&filter, cases[i].text, &pitot_tracepoint_every, &why), -EINVAL);
        assert_int_equal(filter.count, 0);
        if (!strstr(why.text, cases[i].reason))
            fail_msg("%s: %s", cases[i].text, why.text);
    }
}

/* FILTER_DEPTH_MAX of each: parentheses, negations, results that wait for an operator. */
static void as_deep_as_the_refusal_says_is_possible(void **state)
{
    (void)state;
    assert_true(passes("((((((((small == -3))))))))"));
    assert_true(passes("!!!!!!!!small == -3"));
    assert_true(passes("small == 0 || (small == 1 || (small == 2 || (small == 3 || (small == 4 || "
                       "(small == 5 || (small == 6 || small == -3))))))"));
}

static void a_filter_that_is_too_long_is_refused(void **state)
{
    char long_text[64 * 16] = "small == 0";
    struct filter filter;
    struct refusal why;

    (void)state;
    for (unsigned i = 1; i < 8; i++)
        strcat(long_text, " || small == 0");
    assert_int_equal(compile(&filter, long_text, &pitot_tracepoint_every, &why), 0);
    strcat(long_text, " || small == -3");
    assert_int_equal(compile(&filter, long_text, &pitot_tracepoint_every, &why), -EINVAL);
    assert_non_null(strstr(why.text, "too long"));
}

/* Joined as perf joins several --filter. */
static void conditions_that_are_added_are_joined_by_and(void **state)
{
    static const char *const texts[] = {"small == -3 || small == 7", "small == -3", "small == 7",
                                        "!(small == 7)"};
    enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };
    struct trace_hit hit = sample_hit();
    struct refusal why;

    (void)state;
    for (unsigned a = 0; a < TEXTS; a++)
        for (unsigned b = 0; b < TEXTS; b++) {
            struct filter filter = {.count = 0};
            uint8_t count;

            assert_int_equal(filter_add(&filter, texts[a], &pitot_tracepoint_every, &why), 0);
            assert_int_equal(filter_add(&filter, texts[b], &pitot_tracepoint_every, &why), 0);
            assert_int_equal(filter_passes(&filter, &hit), passes(texts[a]) && passes(texts[b]));
            count = filter.count;
            assert_int_equal(filter_add(&filter, "small", &pitot_tracepoint_every, &why), -EINVAL);
            assert_int_equal(filter.count, count);
        }
}

/* An expression generated from its value, so that the value is known. */
static bool make_up(char *at, size_t room, unsigned depth)
{
    char left[200], right[200];
    bool a, b;

    if (depth == 0 || rand() % 4 == 0) {
        int number = rand() % 7 - 6;
        static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">="};
        const bool value[] = {-3 == number, -3 != number, -3 < number,
                              -3 <= number, -3 > number,  -3 >= number};
        unsigned which = (unsigned)rand() % 6;

        snprintf(at, room, "small %s %d", operators[which], number);
        return value[which];
    }
    a = make_up(left, sizeof(left), depth - 1);
    if (rand() % 3 == 0) {
        snprintf(at, room, "!(%s)", left);
        return !a;
    }
    b = make_up(right, sizeof(right), depth - 1);
    if (rand() % 2) {
        snprintf(at, room, "(%s) && (%s)", left, right);
        return a && b;
    }
    snprintf(at, room, "(%s) || (%s)", left, right);
    return a || b;
}

static void made_up_filters_have_the_value_that_they_were_made_up_with(void **state)
{
    char made_up[512];

    (void)state;
    srand(5);
    for (unsigned round = 0; round < 20000; round++) {
        bool value = make_up(made_up, sizeof(made_up), 3);

        assert_int_equal(passes(made_up), value);
    }
}

static void noise_is_refused_or_runs(void **state)
{
    static const char *const pieces[] = {"small",      "count",
                                         "name",       "(",
                                         ")",          "&&",
                                         "||",         "!",
                                         "==",         "<",
                                         "~",          "&",
                                         "\"",         "-3",
                                         "0x",         "x",
                                         " ",          "comm",
                                         "\"a*\"",     ">=",
                                         "common_pid", "99999999999999999999"};
    struct filter filter;
    struct refusal why;
    unsigned good = 0;

    (void)state;
    srand(6);
    for (unsigned round = 0; round < 300000; round++) {
        char noise[256] = "small == -3";

        noise[rand() % 2 ? strlen(noise) : 0] = '\0';
        for (int i = rand() % 8; i > 0; i--)
            strcat(noise, pieces[(unsigned)rand() % (sizeof(pieces) / sizeof(pieces[0]))]);
        if (compile(&filter, noise, &pitot_tracepoint_every, &why) == 0) {
            struct trace_hit hit = sample_hit();

            good++;
            assert_in_range(filter.count, 1, FILTER_STEPS_MAX);
            filter_passes(&filter, &hit);
        } else {
            assert_true(strncmp(why.text, "filter: ", 8) == 0);
        }
    }
    assert_true(good > 100);
}

static void the_description_is_what_libtraceevent_reads(void **state)
{
    (void)state;
    char head[48];

    tracepoint_format_print(text_sink(), &pitot_tracepoint_every, NULL);
    snprintf(head, sizeof(head), "name: every\nID: %u\nformat:\n",
             tracepoint_id(&pitot_tracepoint_every));
    assert_memory_equal(text, head, strlen(head));
    assert_string_equal(
        text + strlen(head),
        ""
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
        "\tfield:int common_tgid;\toffset:8;\tsize:4;\tsigned:1;\n\n"
        "\tfield:int small;\toffset:12;\tsize:4;\tsigned:1;\n"
        "\tfield:unsigned int count;\toffset:16;\tsize:4;\tsigned:0;\n"
        "\tfield:unsigned long large;\toffset:24;\tsize:8;\tsigned:0;\n"
        "\tfield:long change;\toffset:32;\tsize:8;\tsigned:1;\n"
        "\tfield:char name[16];\toffset:40;\tsize:16;\tsigned:0;\n\n"
        "print fmt: \"small=%d count=%u large=%lu change=%ld name=%s\", REC->small, "
        "REC->count, REC->large, REC->change, REC->name\n");
}

static void a_record_is_printed_as_far_as_it_reaches(void **state)
{
    const struct pitot_record_hex hex = {
        .field_low = 0xab, .field_place = 0x1000, .field_high = 0x123456789};

    (void)state;
    tracepoint_record_print(text_sink(), &pitot_tracepoint_every, &sample, sizeof(sample));
    assert_string_equal(text, "small=-3 count=4000000000 large=18446744073709551614 "
                              "change=-5000000000 name=kernel_flag");
    tracepoint_record_print(text_sink(), &pitot_tracepoint_every, &sample, 20);
    assert_string_equal(text, "small=-3 count=4000000000 large= change= name=");
    tracepoint_record_print(text_sink(), &pitot_tracepoint_hex, &hex, sizeof(hex));
    assert_string_equal(text, "low=0xab at 0x1000 high=0x123456789!");
}

/* As perf prints it, through glibc. */
static void a_null_pointer_is_nil(void **state)
{
    const struct pitot_record_hex hex = {.field_place = 0};

    (void)state;
    tracepoint_record_print(text_sink(), &pitot_tracepoint_hex, &hex, sizeof(hex));
    assert_string_equal(text, "low=0x0 at (nil) high=0x0!");
}

/* libtraceevent fails for a table without entries. */
static void functions_without_a_name_are_in_the_table_too(void **state)
{
    const struct pitot_record_call call = {.field_what = 5};
    struct format_names names = {.count = 0};

    (void)state;
    format_names_add(&names, &pitot_tracepoint_call, &call, sizeof(call));
    tracepoint_format_print(text_sink(), &pitot_tracepoint_call, &names);
    assert_non_null(strstr(text, "\"func=%s\", __print_symbolic(REC->what, { 0x5, \"0x5\" })\n"));
}

static struct {
    struct pitot_tracepoint *tracepoint;
    uint64_t argument[TRACEPOINT_FIELDS_MAX];
    const struct regs *regs;
    unsigned hits;
} raised;

static void gate_in_memory(struct pitot_tracepoint *tracepoint, const unsigned long *argument,
                           const struct regs *regs)
{
    raised.tracepoint = tracepoint;
    memcpy(raised.argument, argument, tracepoint->field_count * sizeof(*argument));
    raised.regs = regs;
    raised.hits++;
}

static void gate_in_registers(struct pitot_tracepoint *tracepoint, unsigned long a, unsigned long b,
                              unsigned long c, unsigned long d, unsigned long e)
{
    gate_in_memory(tracepoint, (const unsigned long[]){a, b, c, d, e}, NULL);
}

/* Whether this byte of the record, after its head, is part of a field. */
static bool is_of_a_field(const struct pitot_tracepoint *tracepoint, size_t offset)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        if (offset >= tracepoint->field[i].offset &&
            offset < (size_t)tracepoint->field[i].offset + tracepoint->field[i].size)
            return true;
    return false;
}

/* Written over other data: none of it may remain, and bytes outside of fields are 0. */
static void each_byte_of_a_record_is_written(void **state)
{
    static const uint64_t ones[TRACEPOINT_FIELDS_MAX] = {UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                                         UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                                         UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const struct pitot_tracepoint *tracepoint = NULL;
    unsigned holes = 0;

    (void)state;
    while ((tracepoint = tracepoint_after(tracepoint))) {
        uint64_t argument[TRACEPOINT_FIELDS_MAX];
        char memory[TRACEPOINT_RECORD_MAX + 16];

        memcpy(argument, ones, sizeof(argument));
        for (unsigned i = 0; i < tracepoint->field_count; i++)
            if (tracepoint->field[i].kind == TRACEPOINT_text)
                argument[i] = (uintptr_t) "\xff\xff\xff";
        memset(memory, 0xa5, sizeof(memory));
        tracepoint->make(tracepoint, memory + 4, argument);
        for (size_t i = sizeof(struct tracepoint_head); i < tracepoint->raw_size; i++) {
            assert_int_not_equal((uint8_t)memory[4 + i], 0xa5);
            if (!is_of_a_field(tracepoint, i)) {
                assert_int_equal(memory[4 + i], 0);
                holes++;
            }
        }
        assert_int_equal((uint8_t)memory[4 + tracepoint->raw_size], 0xa5);
    }
    assert_true(holes > 0);
}

static void up_to_five_arguments_are_raised_in_registers_and_more_in_memory(void **state)
{
    struct tracepoint_probe probe = {.hit = NULL};
    const struct regs regs = {.ip = 77};
    unsigned computed = 0;

    (void)state;
    raised.hits = 0;
    PITOT_TRACE(call, ++computed); /* while no probe listens */
    assert_int_equal(raised.hits + computed, 0);
    pitot_tracepoint_call.gate = pitot_tracepoint_every.gate = (void (*)(void))gate_in_registers;
    pitot_tracepoint_places.gate = (void (*)(void))gate_in_memory;
    pitot_tracepoint_call.probes = pitot_tracepoint_every.probes = &probe;
    pitot_tracepoint_places.probes = &probe;

    PITOT_TRACE(call, ++computed);
    assert_ptr_equal(raised.tracepoint, &pitot_tracepoint_call);
    assert_int_equal(raised.argument[0] + computed, 2);
    PITOT_TRACE(every, -3, 4000000000u, UINT64_MAX - 1, -5, "name");
    assert_ptr_equal(raised.tracepoint, &pitot_tracepoint_every);
    assert_int_equal((int32_t)raised.argument[0], -3);
    assert_int_equal(raised.argument[1], 4000000000u);
    assert_int_equal(raised.argument[3], -5);
    assert_string_equal((const char *)raised.argument[4], "name");
    PITOT_TRACE(places, 1, 2, 3, 4, 5, 6, 7, "eight");
    assert_ptr_equal(raised.tracepoint, &pitot_tracepoint_places);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(raised.argument[i], i + 1);
    assert_null(raised.regs);
    assert_int_equal(raised.hits, 3);
    pitot_raise_memory(&pitot_tracepoint_places, raised.argument, &regs);
    assert_ptr_equal(raised.regs, &regs);
    assert_true(pitot_tracepoint_places.in_memory && !pitot_tracepoint_every.in_memory);
    assert_string_equal(pitot_tracepoint_places.full_name, "unit:places");
    assert_string_equal(pitot_tracepoint_places.name, "places");
}

/* As those of other languages are, which have no function of their own. */
static void a_record_that_pitot_lays_out_is_the_compilers(void **state)
{
    const struct pitot_tracepoint *places = &pitot_tracepoint_places;
    unsigned long argument[] = {1, 2, 3, 4, -5ul, -6ul, 7, (unsigned long)"eight"};
    char one[TRACEPOINT_RECORD_MAX] = "", other[TRACEPOINT_RECORD_MAX] = "";
    struct refusal why;

    (void)state;
    assert_int_equal(tracepoints_complete(&why), 0);
    assert_int_equal(completed.raw_size, places->raw_size);
    for (unsigned i = 0; i < places->field_count; i++)
        assert_int_equal(completed.field[i].offset, places->field[i].offset);
    assert_ptr_equal(completed.make(&completed, one, argument), one + completed.raw_size);
    assert_ptr_equal(places->make(places, other, argument), other + places->raw_size);
    assert_memory_equal(one, other, places->raw_size);
    tracepoint_record_print(text_sink(), &completed, one, completed.raw_size);
    assert_string_equal(text, "function=0x1 place=0x2 a=3 b=4 c=-5 d=-6 e=7 f=eight");
}

static void a_record_that_cannot_be_laid_out_is_refused(void **state)
{
    static const struct {
        unsigned count, in_memory;
        const char *why;
    } cases[] = {
        {6, 0, "unit:completed: up to 5 fields are allowed"},
        {10, 1, "unit:completed: up to 9 fields are allowed"},
        {9, 1, NULL},
    };
    struct refusal why;

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        completed.make = NULL;
        completed.field_count = cases[i].count;
        completed.in_memory = (unsigned char)cases[i].in_memory;
        assert_int_equal(tracepoints_complete(&why), cases[i].why ? -EINVAL : 0);
        if (cases[i].why)
            assert_string_equal(why.text, cases[i].why);
    }
    for (unsigned i = 0; i < 4; i++) {
        completed_fields[i].kind = PITOT_KIND_text;
        completed_fields[i].size = 16;
    }
    completed.make = NULL;
    assert_int_equal(tracepoints_complete(&why), -EINVAL);
    assert_string_equal(why.text, "unit:completed: its record has more than 112 bytes");
}

/* The same value by both kinds, and as libtraceevent is told of it. */
static void places_are_shown_as_symbols(void **state)
{
    struct symbol symbol = fake_symbols_at(1);
    struct pitot_record_places record = {.field_function = symbol.address + 1,
                                         .field_place = symbol.address + 1};
    struct format_names names = {.count = 0};
    char expected[512];

    (void)state;
    assert_true(symbol.size > 1);
    tracepoint_record_print(text_sink(), &pitot_tracepoint_places, &record, sizeof(record));
    snprintf(expected, sizeof(expected), "function=%s place=%s+0x1 a=0 ", symbol.name, symbol.name);
    assert_memory_equal(text, expected, strlen(expected));
    format_names_add(&names, &pitot_tracepoint_places, &record, sizeof(record));
    assert_int_equal(names.count, 1);
    tracepoint_format_print(text_sink(), &pitot_tracepoint_places, &names);
    assert_non_null(strstr(text, "\"function=%s place=%s a=%u b=%u "));
    snprintf(expected, sizeof(expected),
             "__print_symbolic(REC->function, { 0x%llx, \"%s\" }), "
             "__print_symbolic(REC->place, { 0x%llx, \"%s+0x1\" }), REC->a",
             (unsigned long long)record.field_place, symbol.name,
             (unsigned long long)record.field_place, symbol.name);
    assert_non_null(strstr(text, expected));
    assert_non_null(strstr(text, "field:void * place;"));
}

static void fields_are_compared_with_each_other(void **state)
{
    static const struct {
        const char *filter;
        bool passes;
    } cases[] = {
        {"a == b", false},
        {"a != b", true},
        {"b > a", true},
        {"a >= b", false},
        {"c < a", true},
        {"a & e", true},
        {"b & e", false},
        {"d < c && c < a", true},
        {"a == common_tgid", true},
        {"common_tgid != a", false},
        {"!(a == a)", false},
        {"c == d", false},
        {"function == place", true},
    };
    uint64_t argument[] = {0, 0, 1, 2, (uint64_t)-1, (uint64_t)-2, 5, 0};
    const struct arch_place place = {.flags = 0};
    struct trace_hit hit = hit_of(&pitot_tracepoint_places, &place, 0, 1);
    struct filter filter;
    struct refusal why;

    (void)state;
    hit.argument = argument;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (compile(&filter, cases[i].filter, &pitot_tracepoint_places, &why) != 0)
            fail_msg("%s: %s", cases[i].filter, why.text);
        if (filter_passes(&filter, &hit) != cases[i].passes)
            fail_msg("%s", cases[i].filter);
    }
    assert_int_equal(compile(&filter, "a == f", &pitot_tracepoint_places, &why), -EINVAL);
    assert_non_null(strstr(why.text, "\"f\" where a number, or a field that holds one"));
    assert_int_equal(compile(&filter, "a == nobody", &pitot_tracepoint_places, &why), -EINVAL);
    assert_non_null(strstr(why.text, "\"nobody\" where a number, or a field that holds one"));
}

static unsigned found;

static void find_the_rest(unsigned long *argument)
{
    found++;
    argument[6] = 5;
    argument[7] = (uintptr_t) "found and cut after so many";
}

/* Expensive arguments are looked up at most once, and only if the filter reaches them. */
static void late_arguments_are_found_when_a_filter_names_them(void **state)
{
    static const struct {
        const char *filter;
        bool passes;
        unsigned found;
    } cases[] = {
        {"a == 1", true, 0},
        {"e == 5", true, 1},
        {"e == 5 && f ~ \"found*\" && e > 4", true, 1},
        {"f == \"found and cut a\"", true, 1},
        {"a == e", false, 1},
        {"comm == \"nobody\" && common_pid == 3", false, 0},
    };
    const struct arch_place place = {.flags = 0};
    struct filter filter;
    struct refusal why;

    (void)state;
    pitot_tracepoint_places.find_late = find_the_rest;
    pitot_tracepoint_places.late = PITOT_INDEX(places, e);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t argument[] = {0, 0, 1, 2, 3, 4, 0, 0};
        struct trace_hit hit = hit_of(&pitot_tracepoint_places, &place, 3, 3);

        hit.argument = argument;
        found = 0;
        assert_int_equal(compile(&filter, cases[i].filter, &pitot_tracepoint_places, &why), 0);
        assert_int_equal(filter_passes(&filter, &hit), cases[i].passes);
        assert_int_equal(found, cases[i].found);
    }
    pitot_tracepoint_places.find_late = NULL;
}

static void records_are_padded_for_the_size_in_front_of_them(void **state)
{
    (void)state;
    for (size_t end = 12; end <= TRACEPOINT_RECORD_MAX; end++) {
        assert_int_equal((PITOT_RAW_SIZE(end) + 4) % 8, 0);
        assert_in_range(PITOT_RAW_SIZE(end), end, end + 7);
    }
    assert_int_equal(pitot_tracepoint_every.raw_size, 60);
}

static void tracepoints_are_found_by_id_and_in_order_of_names(void **state)
{
    static const char *const names[] = {"another:hex", "unit:call", "unit:completed", "unit:every",
                                        "unit:places"};
    const struct pitot_tracepoint *next = NULL;

    (void)state;
    assert_int_equal(tracepoint_count(), 5);
    assert_ptr_equal(tracepoint_by_id(tracepoint_id(&pitot_tracepoint_hex)), &pitot_tracepoint_hex);
    assert_null(tracepoint_by_id(0));
    assert_null(tracepoint_by_id(6));
    assert_null(tracepoint_by_id(UINT64_MAX));
    for (size_t i = 0; i < 5; i++) {
        next = tracepoint_after(next);
        assert_string_equal(next->full_name, names[i]);
    }
    assert_null(tracepoint_after(next));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_and_question_marks_match),
        cmocka_unit_test(any_pattern_matches_what_its_definition_says),
        cmocka_unit_test(a_filter_says_what_it_says),
        cmocka_unit_test(what_is_wrong_with_a_filter_is_named),
        cmocka_unit_test(as_deep_as_the_refusal_says_is_possible),
        cmocka_unit_test(a_filter_that_is_too_long_is_refused),
        cmocka_unit_test(conditions_that_are_added_are_joined_by_and),
        cmocka_unit_test(made_up_filters_have_the_value_that_they_were_made_up_with),
        cmocka_unit_test(noise_is_refused_or_runs),
        cmocka_unit_test(the_description_is_what_libtraceevent_reads),
        cmocka_unit_test(a_record_is_printed_as_far_as_it_reaches),
        cmocka_unit_test(a_null_pointer_is_nil),
        cmocka_unit_test(functions_without_a_name_are_in_the_table_too),
        cmocka_unit_test(up_to_five_arguments_are_raised_in_registers_and_more_in_memory),
        cmocka_unit_test(a_record_that_pitot_lays_out_is_the_compilers),
        cmocka_unit_test(places_are_shown_as_symbols),
        cmocka_unit_test(fields_are_compared_with_each_other),
        cmocka_unit_test(late_arguments_are_found_when_a_filter_names_them),
        cmocka_unit_test(each_byte_of_a_record_is_written),
        cmocka_unit_test(a_record_that_cannot_be_laid_out_is_refused),
        cmocka_unit_test(records_are_padded_for_the_size_in_front_of_them),
        cmocka_unit_test(tracepoints_are_found_by_id_and_in_order_of_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An option given twice, for every row of the tables: as the row specifies, the last one counts,
 * all do, or the second is refused. Of different options that set the same thing, the last one
 * counts as well.
 *
 * links: tests/unit/fake_events.c tests/unit/fake_task.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "arch/step.h"
#include "core/host.h"
#include "core/perf/option_table.h"
#include "core/perf/options.h"
#include "core/tracepoint/tracepoint.h"
#include "core/unwind/unwind.h"
#include "kernel/syscall/syscalls.h"

#define WORDS_MOST 32
#define LINE_MOST  400

#define SOME_FIELDS                                                                                \
    PITOT_FIELD(pointer, address, "address=%p"), PITOT_FIELD(s32, left, " left=%d"),               \
        PITOT_FIELD(s32, right, " right=%d")
PITOT_TRACEPOINT(test, some, 3, SOME_FIELDS);
PITOT_TRACEPOINT(raw_syscalls, sys_enter, 3, SOME_FIELDS);
PITOT_TRACEPOINT(raw_syscalls, sys_exit, 3, SOME_FIELDS);

bool unwind_possible(enum unwind_method method)
{
    (void)method;
    return true;
}

enum unwind_method unwind_default(void)
{
    return UNWIND_BY_TABLE;
}

unsigned arch_cpus(void)
{
    return 4;
}

bool arch_step_excludes_watches(void)
{
    return false;
}

#define WATCH "mem:0xffffffff80001000:w"

/*
 * Two values of each option that takes one, the second with a different effect than none; and what
 * the option needs before and after it.
 */
static const struct sample {
    const char *part, *name, *first, *last, *before, *after;
} samples[] = {
    {"record", "-e", "cpu-clock", "test:some", "", ""},
    {"record", "--filter", "left == 1", "right == 1", "", ""},
    {"record", "--call-graph", "no", "fp", "", ""},
    {"record", "--skip", "1", "2", "-g ", ""},
    {"record", "--verify-chain", NULL, NULL, "-g ", ""},
    {"record", "-c", "5", "6", "", ""},
    {"record", "-F", "5", "max", "", ""},
    {"record", "-m", "4k", "8k", "", ""},
    {"record", "--trigger", "cpu-clock", "test:some", "", ""},
    {"record", "--start", WATCH, "mem:0xffffffff80002000:x", "-e branches ", ""},
    {"record", "--by", "left", "comm", "", ""},
    {"record", "--hist", "left", "right", "", ""},
    {"record", "--from", "test:some", "test:some", "--to test:some ", ""},
    {"record", "--to", "test:some", "test:some", "--from test:some ", ""},
    {"record", "--key", "left", "right", "--from test:some --to test:some ", ""},
    {"record", "-p", "5", "6", "", ""},
    {"record", "-C", "1", "2-3", "", ""},
    {"stat", "-r", "2", "3", "", " load"},
    {"stat", "-I", "10", "20", "", ""},
    {"trace", "-e", "read", "write", "", ""},
    {"report", "-g", "fractal,2", "caller", "", ""},
    {"report", "--sort", "comm", "cpu", "", ""},
    {"report", "--max-stack", "5", "6", "", ""},
    {"script", "-F", "iregs", "+iregs", "", ""},
    {"script", "--max-stack", "5", "6", "", ""},
    {"script", "--max-events", "5", "6", "", ""},
};

/* A sample of `record` is also used for `stat` and `trace` if the row is the same. */
static const struct sample *sample_of(const struct options *part, const struct option *row)
{
    static const struct sample flag = {.before = "", .after = ""};

    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
        if (option_find(perf_part_find(samples[i].part, strlen(samples[i].part)), samples[i].name,
                        strlen(samples[i].name)) == row)
            return &samples[i];
    if (row->value)
        fail_msg("perf %s %s: no values to try", part->name, row->names[0]);
    return &flag;
}

/* Everything that a part's options set, without addresses of words. */
struct said {
    struct perf_options perf;
    struct report_options report;
    struct script_options script;
};

static struct refusal why;

static int parse(const struct options *part, const char *line, struct said *said)
{
    static char copy[LINE_MOST];
    char *words[WORDS_MOST];
    int count = 0, error;

    snprintf(copy, sizeof(copy), "%s%s%s", part->name, *line ? " " : "", line);
    for (char *at = copy; at; count++) { /* quoted words with blanks stay whole */
        char quote = *at == '\'' ? '\'' : ' ';

        words[count] = at += quote == '\'';
        at = strchr(at, quote);
        if (at)
            *at++ = '\0';
        if (at && quote == '\'')
            at = *at ? at + 1 : NULL;
    }
    memset(said, 0, sizeof(*said));
    why.text[0] = '\0';
    if (strcmp(part->name, "report") == 0)
        error = report_options_parse(count, words, &said->report, &why);
    else if (strcmp(part->name, "script") == 0)
        error = script_options_parse(count, words, &said->script, &why);
    else
        error = perf_options_parse(count, words, &said->perf, &why);
    said->perf.workload = NULL;
    said->perf.key = NULL;
    for (unsigned i = 0; i < REPORT_KEYS_MAX; i++)
        said->report.keys.key[i].word = NULL;
    return error;
}

static const char *option_text(const struct option *row, const char *value)
{
    static char texts[2][LINE_MOST];
    static unsigned turn;
    char *text = texts[turn++ % 2];

    if (!value)
        return row->names[0];
    snprintf(text, LINE_MOST, "%s '%s'", row->names[0], value);
    return text;
}

static const char *line_of(const struct options *part, const struct sample *sample,
                           const char *first, const char *last)
{
    static char lines[4][LINE_MOST];
    static unsigned turn;
    char *line = lines[turn++ % 4];
    bool events = strcmp(part->name, "record") == 0 || strcmp(part->name, "stat") == 0;

    snprintf(line, LINE_MOST, "%s%s%s%s%s%s", events ? "-e test:some " : "", sample->before, first,
             *first && *last ? " " : "", last, sample->after);
    if (line[strlen(line) - 1] == ' ')
        line[strlen(line) - 1] = '\0';
    return line;
}

static void parse_ok(const struct options *part, const char *line, struct said *said)
{
    if (parse(part, line, said))
        fail_msg("perf %s %s: %s", part->name, line, why.text);
}

static void check_row(const struct options *part, const struct option *row)
{
    static struct said both, first, last, none;
    const struct sample *sample = sample_of(part, row);
    const char *one = option_text(row, sample->first), *other = option_text(row, sample->last);
    const char *line = line_of(part, sample, one, other);

    if (row->again == OPTION_ONCE) {
        assert_int_equal(parse(part, line, &both), -EINVAL);
        assert_non_null(strstr(why.text, "is given twice; once is allowed"));
        return;
    }
    parse_ok(part, line, &both);
    parse_ok(part, line_of(part, sample, one, ""), &first);
    parse_ok(part, line_of(part, sample, other, ""), &last);
    parse_ok(part, line_of(part, sample, "", ""), &none);
    if (row->value && memcmp(&last, &none, sizeof(last)) == 0)
        fail_msg("perf %s %s: has no message", part->name, other);
    if (row->again == OPTION_REPLACES && memcmp(&both, &last, sizeof(both)))
        fail_msg("perf %s %s: the last one does not count", part->name, line);
    if (row->again == OPTION_ADDS &&
        (!memcmp(&both, &last, sizeof(both)) || !memcmp(&both, &first, sizeof(both))))
        fail_msg("perf %s %s: only one of them counts", part->name, line);
}

static bool has(const struct options *part, const struct option *row)
{
    return !part->command || (row->commands & part->command);
}

static void each_row_is_given_again(void **state)
{
    (void)state;
    for (const struct options *const *part = perf_parts; *part; part++)
        for (const struct option *row = (*part)->row; row->names[0]; row++)
            if (has(*part, row))
                check_row(*part, row);
}

/* Such as -g and --call-graph, -R and --no-raw-samples, -s and -S. */
static void of_rows_that_set_the_same_the_last_one_counts(void **state)
{
    static struct said both, last;
    unsigned pairs = 0;

    (void)state;
    for (const struct options *const *part = perf_parts; *part; part++)
        for (const struct option *a = (*part)->row; a->names[0]; a++)
            for (const struct option *b = (*part)->row; b->names[0]; b++) {
                const struct sample *sample = sample_of(*part, a);
                const char *line, *alone;

                if (a == b || !has(*part, a) || !has(*part, b) || !a->size || a->size != b->size ||
                    a->place != b->place)
                    continue;
                alone = line_of(*part, sample, "", option_text(b, sample_of(*part, b)->last));
                line = line_of(*part, sample, option_text(a, sample->first),
                               option_text(b, sample_of(*part, b)->last));
                parse_ok(*part, alone, &last);
                parse_ok(*part, line, &both);
                if (memcmp(&both, &last, sizeof(both)))
                    fail_msg("perf %s %s: the last one does not count", (*part)->name, line);
                pairs++;
            }
    assert_int_equal(pairs, 6);
}

int main(void)
{
    host.calls = syscall_table;
    host.call_count = syscall_count;

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_given_again),
        cmocka_unit_test(of_rows_that_set_the_same_the_last_one_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

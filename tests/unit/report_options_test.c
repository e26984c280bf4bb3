/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of perf report: each one, perf's defaults, each refusal with its reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/perf/option_table.h"
#include "core/report/percent.h"

#define WORDS_MOST 16

static struct report_options options;
static struct refusal why;

/* Parses a command line of words between single spaces. */
static int parse(const char *line)
{
    static char copy[200]; /* keys point into it */
    char *words[WORDS_MOST];
    int count = 0;

    assert_true(strlen(line) < sizeof(copy));
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    memset(&why, 0, sizeof(why));
    memset(&options, 0xa5, sizeof(options));
    return report_options_parse(count, words, &options, &why);
}

static void assert_parsed(const char *line, bool caller, uint32_t threshold)
{
    assert_int_equal(parse(line), 0);
    assert_true(options.callgraph);
    assert_int_equal(options.caller, caller);
    assert_int_equal(options.threshold, threshold);
}

static void assert_refused(const char *line, const char *reason)
{
    assert_int_equal(parse(line), -EINVAL);
    if (strcmp(why.text, reason) != 0)
        fail_msg("\"%s\": \"%s\" instead of \"%s\"", line, why.text, reason);
}

static void the_defaults_are_perfs(void **state)
{
    (void)state;
    assert_parsed("report", false, 5000);
    assert_parsed("report -g caller", true, 5000);
    assert_parsed("report -g callee", false, 5000);
    assert_parsed("report -g caller,2 -g callee", false, 5000);
}

static void a_threshold_is_a_decimal_number(void **state)
{
    (void)state;
    assert_parsed("report -g caller,0", true, 0);
    assert_parsed("report -g callee,0", false, 0);
    assert_parsed("report -g caller,0.5", true, 5000);
    assert_parsed("report -g callee,2", false, 2 * PERCENT_UNITS);
    assert_parsed("report -g caller,10.25", true, 102500);
    assert_parsed("report -g caller,0.0001", true, 1);
    assert_parsed("report -g caller,00007.5", true, 75000);
    assert_parsed("report -g caller,100", true, 100 * PERCENT_UNITS);
    assert_parsed("report -g caller,100.0000", true, 100 * PERCENT_UNITS);
}

static void call_graphs_can_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(parse("report -g none"), 0);
    assert_false(options.callgraph);
    assert_parsed("report -g none -g caller", true, 5000);
}

static void what_is_always_so_may_be_said(void **state)
{
    (void)state;
    assert_parsed("report --stdio --no-children --no-inline -g caller -s sym", true, 5000);
    assert_parsed("report -s s", false, 5000);
}

#define GRAPHS                                                                                     \
    "\": possible are graph or fractal, caller or callee, and the percentage below which "         \
    "branches "                                                                                    \
    "are left out (0 to 100, up to 4 decimals), separated by commas: fractal,0.5,caller; or none"

static void words_of_a_graph_stand_in_any_order(void **state)
{
    (void)state;
    assert_parsed("report -g -s sym", false, 5000);
    assert_parsed("report -g", false, 5000);
    assert_parsed("report -g fractal", false, 5000);
    assert_true(options.fractal);
    assert_parsed("report -g 2,caller,fractal", true, 20000);
    assert_true(options.fractal);
    assert_parsed("report -g fractal -g graph,caller,0", true, 0);
    assert_false(options.fractal);
}

static void any_other_threshold_is_refused(void **state)
{
    static const char *const wrong[] = {
        ",",       ",x",        ",-1",         ",.5",
        ",5.",     ",1e1",      ",0x1",        ",0.5x",
        ",100.01", ",100.0001", ",101",        ",1.2.3",
        ",5%",     ",0.50000",  ",4294967296", ",99999999999999999999",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[100] = "report -g caller";
        char reason[300] = "call graph \"caller";

        strcat(line, wrong[i]);
        strcat(reason, wrong[i]);
        strcat(reason, GRAPHS);
        assert_refused(line, reason);
    }
    assert_int_equal(parse("report -g callers"), -EINVAL);
    assert_int_equal(parse("report -g callee0.5"), -EINVAL);
}

static void assert_keys(const char *line, unsigned count, const enum report_key_kind *kinds)
{
    assert_int_equal(parse(line), 0);
    assert_int_equal(options.keys.count, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(options.keys.key[i].kind, kinds[i]);
}

static void lines_are_told_apart_by_keys(void **state)
{
    (void)state;
    assert_keys("report", 1, (enum report_key_kind[]){REPORT_BY_SYMBOL});
    assert_keys("report -s comm", 1, (enum report_key_kind[]){REPORT_BY_COMM});
    assert_keys(
        "report --sort cpu,comm,pid,symbol", 4,
        (enum report_key_kind[]){REPORT_BY_CPU, REPORT_BY_COMM, REPORT_BY_TID, REPORT_BY_SYMBOL});
    assert_keys("report --sort tid,pid,tid", 1, (enum report_key_kind[]){REPORT_BY_TID});
    assert_keys("report -s prev_pid,next_pid,prev_pid -n", 2,
                (enum report_key_kind[]){REPORT_BY_FIELD, REPORT_BY_FIELD});
    assert_string_equal(options.keys.key[1].word, "next_pid");
    assert_int_equal(parse("report -s a,b,c,d,e,f"), 0);
    assert_refused("report -s a,b,c,d,e,f,g", "sort key \"g\": at most 6 keys are allowed");
    for (const char *const *line =
             (const char *const[]){"report -s ,", "report -s comm,", "report -s ,comm", NULL};
         *line; line++)
        assert_refused(*line,
                       "a sort key is empty; there are comm, cpu, dso, pid, sym and the fields of "
                       "tracepoints, separated by commas");
}

static void chains_can_be_cut(void **state)
{
    static const char *const wrong[] = {"0", "128", "-1", "x", "3x", "99999999999999999999"};

    (void)state;
    assert_int_equal(parse("report"), 0);
    assert_int_equal(options.max_stack, 127);
    assert_int_equal(parse("report --max-stack 127 --max-stack 1"), 0);
    assert_int_equal(options.max_stack, 1);
    assert_refused("report --max-stack", "option --max-stack needs a value");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[100], reason[100];

        snprintf(line, sizeof(line), "report --max-stack %s", wrong[i]);
        snprintf(reason, sizeof(reason),
                 "--max-stack \"%s\": 1 to 127 addresses of a chain are allowed", wrong[i]);
        assert_refused(line, reason);
    }
}

static void other_words_are_refused(void **state)
{
    (void)state;
    assert_refused("report -g flat", "call graph \"flat" GRAPHS);
    assert_refused("report -g call", "call graph \"call" GRAPHS);
    assert_refused("report -s", "option -s needs a value");
    assert_refused(
        "report --stdin",
        "unknown option \"--stdin\"; there are -g graph|fractal|caller|callee|none, "
        "--sort KEY,..., --max-stack N, -n, -D, --last-boot, --stdio, --no-children, --no-inline");
    assert_refused(
        "report caller",
        "unknown option \"caller\"; there are -g graph|fractal|caller|callee|none, "
        "--sort KEY,..., --max-stack N, -n, -D, --last-boot, --stdio, --no-children, --no-inline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_perfs),
        cmocka_unit_test(a_threshold_is_a_decimal_number),
        cmocka_unit_test(call_graphs_can_be_left_out),
        cmocka_unit_test(what_is_always_so_may_be_said),
        cmocka_unit_test(words_of_a_graph_stand_in_any_order),
        cmocka_unit_test(any_other_threshold_is_refused),
        cmocka_unit_test(lines_are_told_apart_by_keys),
        cmocka_unit_test(chains_can_be_cut),
        cmocka_unit_test(other_words_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

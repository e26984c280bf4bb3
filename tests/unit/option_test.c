/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option parser, with the test's own table: what it sets, how many words it takes, each
 * refusal, the names for TAB and the lines of `help`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/errno.h>

#include <cmocka.h>

#include "core/lib/option.h"

#define WORDS_MOST 12

struct set {
    bool loud, quiet;
    uint32_t few;
    uint64_t many;
    const char *text;
    char first; /* of the value of -s */
    unsigned times;
};

static struct set set;
static struct refusal why;

static int set_first(void *at, const char *typed, char *value, struct refusal *refusal)
{
    struct set *whole = at;

    if (*value == '!')
        return refuse(refusal, ENOENT, "%s of %s", typed, value);
    whole->first = *value;
    whole->times++;
    *value = '#';
    return 0;
}

#define AT(member) OPTION_AT(struct set, member)

enum { ONE = 1, OTHER = 2 };

static const struct option rows[] = {
    OPTION({"-l", "--loud"}, NULL, ONE | OTHER, OPTION_FLAG, "much", AT(loud), .excludes = "-q",
           .because = "one is enough"),
    OPTION({"-q"}, NULL, ONE | OTHER, OPTION_FLAG, "little", AT(quiet)),
    OPTION({"--few"}, "N", ONE, OPTION_NUMBER, "a few", .least = 2, .most = 5, .unit = "things",
           AT(few)),
    OPTION({"-m", "--many"}, "N", ONE, OPTION_NUMBER, "many", .what = "number", .least = 1,
           AT(many)),
    OPTION({"-w"}, "MS", ONE, OPTION_NUMBER, "wide", .unit = "steps", .least = 3, AT(few)),
    OPTION({"-t"}, "TEXT", ONE, OPTION_TEXT, "a text", AT(text)),
    OPTION({"-s"}, "TEXT", ONE, OPTION_TEXT, "sets", .again = OPTION_ADDS, .set = set_first),
    OPTION({"-g"}, "HOW", ONE, OPTION_TEXT, "may be bare", .bare = true, .set = set_first),
    {.names = {"-f", "--force"}, .commands = ONE, .help = "idle"},
    OPTION({"-t"}, "CALL", OTHER, OPTION_TEXT, "another", .again = OPTION_ONCE, .set = set_first),
    {.names = {NULL}},
};
static const struct options one = {.row = rows, .command = ONE, .workload = true};
static const struct options other = {.row = rows, .command = OTHER, .others = "not of this one"};

static int parse(const struct options *options, const char *line)
{
    static char copy[200];
    char name[] = "name", *words[WORDS_MOST] = {name};
    int count = 1;

    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    set = (struct set){.times = 0};
    why.text[0] = '\0';
    return options_parse(options, count, words, &set, &why);
}

static void assert_refused(const struct options *options, const char *line, const char *reason)
{
    assert_int_equal(parse(options, line), -EINVAL);
    assert_string_equal(why.text, reason);
}

static void each_kind_sets_what_is_at_its_place(void **state)
{
    (void)state;
    assert_int_equal(parse(&one, "--loud --few 5 -m 1099511627776 -t word -s abc -f"), 11);
    assert_true(set.loud && !set.quiet);
    assert_int_equal(set.few, 5);
    assert_int_equal(set.many, 1ull << 40);
    assert_string_equal(set.text, "word");
    assert_int_equal(set.first, 'a');
    assert_int_equal(parse(&one, "-w 4294967295"), 3);
    assert_int_equal(set.few, UINT32_MAX);
    assert_int_equal(set.many, 0);
    assert_int_equal(parse(&other, "-t x -l"), 4);
    assert_int_equal(set.first, 'x');
    assert_null(set.text);
}

/*
 * A value may be in the option's word, and several flags in one; an = inside a value belongs to it.
 */
static void a_value_may_be_attached(void **state)
{
    (void)state;
    assert_int_equal(parse(&one, "-m5 --few=4 -tx=y --loud"), 5);
    assert_int_equal(set.many, 5);
    assert_int_equal(set.few, 4);
    assert_string_equal(set.text, "x=y");
    assert_true(set.loud);
    assert_int_equal(parse(&one, "-fqm7 -fqm 8 -t- --few 3"), 7);
    assert_int_equal(set.many, 8);
    assert_string_equal(set.text, "-");
    assert_true(set.quiet);
    assert_int_equal(parse(&one, "-ghow -qg load"), 4);
    assert_int_equal(set.times, 2);
    assert_int_equal(set.first, 'l');
    assert_int_equal(parse(&one, "-qf load -m5"), 2);
    assert_int_equal(set.many, 0);
    assert_refused(&one, "--loud=yes", "option --loud takes no value");
    assert_refused(&one, "-qx",
                   "unknown option \"-x\"; there are -l, -q, --few N, -m N, -w MS, "
                   "-t TEXT, -s TEXT, -g HOW, -f, -- COMMAND");
    assert_refused(&one, "-qt", "option -t needs a value");
    assert_refused(&one, "--few=", "--few \"\": 2 to 5 things are allowed");
    assert_refused(&other, "--many=3", "--many: not of this one");
    assert_refused(&other, "-lm3", "-m: not of this one");
    assert_refused(&other, "-", "unknown option \"-\"; there are -l, -q, -t CALL");
    assert_refused(&other, "--=", "unknown option \"--\"; there are -l, -q, -t CALL");
    assert_refused(&other, "-tx -ty", "-t is given twice; once is allowed");
}

static void help_is_asked_for_before_the_workload(void **state)
{
    static const struct {
        const char *line;
        bool asks, asks_other;
    } cases[] = {
        {"-h", true, true},        {"--help", true, true},  {"-q --help", true, true},
        {"-t -h", false, false},   {"-t x -h", true, true}, {"-q load -h", false, true},
        {"-q -- -h", false, true}, {"", false, false},      {"-g -h", true, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char copy[80], name[] = "name", *words[WORDS_MOST] = {name};
        int count = 1;

        strcpy(copy, cases[i].line);
        for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
            words[count++] = word;
        assert_int_equal(options_ask_help(&one, count, words), cases[i].asks);
        assert_int_equal(options_ask_help(&other, count, words), cases[i].asks_other);
    }
}

static void a_bare_option_takes_no_word_that_is_an_option(void **state)
{
    (void)state;
    assert_int_equal(parse(&one, "-g -q"), 3);
    assert_int_equal(set.times, 0);
    assert_true(set.quiet);
    assert_int_equal(parse(&one, "-g"), 2);
    assert_int_equal(parse(&one, "-g how"), 3);
    assert_int_equal(set.times, 1);
}

static void the_workload_begins_with_what_is_no_option(void **state)
{
    (void)state;
    assert_int_equal(parse(&one, ""), 1);
    assert_int_equal(parse(&one, "load -q"), 1);
    assert_false(set.quiet);
    assert_int_equal(parse(&one, "-q load"), 2);
    assert_int_equal(parse(&one, "-q -- -l"), 3);
    assert_false(set.loud);
    assert_refused(&one, "-q --", "no command after --");
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    assert_refused(&one, "-x",
                   "unknown option \"-x\"; there are -l, -q, --few N, -m N, -w MS, -t TEXT, "
                   "-s TEXT, -g HOW, -f, -- COMMAND");
    assert_refused(&other, "word", "unknown option \"word\"; there are -l, -q, -t CALL");
    assert_refused(&other, "--", "unknown option \"--\"; there are -l, -q, -t CALL");
    assert_refused(&other, "--many 3", "--many: not of this one");
    assert_refused(&other, "-t x -q -t y", "-t is given twice; once is allowed");
    assert_refused(&one, "-q -t", "option -t needs a value");
    assert_refused(&one, "-q --loud", "-l and -q cannot be combined: one is enough");
    assert_refused(&one, "--few 1", "--few \"1\": 2 to 5 things are allowed");
    assert_refused(&one, "--few 6", "--few \"6\": 2 to 5 things are allowed");
    assert_refused(&one, "--many 0", "number \"0\": a whole number from 1 is allowed");
    assert_refused(&one, "-m 1099511627777",
                   "number \"1099511627777\": a whole number from 1 is "
                   "allowed");
    assert_refused(&one, "-w 4294967296", "-w \"4294967296\": whole steps from 3 are allowed");
    assert_refused(&one, "-w 3x", "-w \"3x\": whole steps from 3 are allowed");
    assert_int_equal(parse(&one, "-s !no -q"), -ENOENT);
    assert_string_equal(why.text, "-s of !no");
    assert_false(set.quiet);
}

static void names_are_in_order(void **state)
{
    static const char *const names[] = {"--", "--few", "--force", "--loud", "--many", "-f", "-g",
                                        "-l", "-m",    "-q",      "-s",     "-t",     "-w"};

    const char *name = "";

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        name = option_after(&one, name);
        assert_string_equal(name, names[i]);
    }
    assert_null(option_after(&one, name));
    assert_string_equal(option_after(&other, ""), "--loud");
    assert_ptr_equal(option_find(&one, "--many", 6), &rows[3]);
    assert_null(option_find(&one, "--many", 5));
    assert_null(option_find(&other, "--many", 6));
}

static char helped[800];

static void helped_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    assert_true(strlen(helped) + length < sizeof(helped));
    strncat(helped, bytes, length);
}

static void help_has_a_line_for_each(void **state)
{
    struct sink sink = {helped_write};

    (void)state;
    options_help(&other, &sink);
    assert_string_equal(helped, "    -l, --loud                       much\n"
                                "    -q                               little\n"
                                "    -t CALL                          another; once\n");
    helped[0] = '\0';
    options_help(&one, &sink);
    assert_non_null(
        strstr(helped, "    -s TEXT                          sets; may be given again\n"));
}

/* As many complete words of the list as fit. */
static void a_list_is_cut_to_its_room(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(options_list(&other, "=", text, sizeof(text)), "-l, -q, -t=CALL");
    assert_string_equal(options_list(&other, "=", text, 20), "-l, -q, ...");
    assert_string_equal(options_list(&other, "=", text, 10), "-l, ...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_sets_what_is_at_its_place),
        cmocka_unit_test(a_value_may_be_attached),
        cmocka_unit_test(help_is_asked_for_before_the_workload),
        cmocka_unit_test(a_bare_option_takes_no_word_that_is_an_option),
        cmocka_unit_test(the_workload_begins_with_what_is_no_option),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(help_has_a_line_for_each),
        cmocka_unit_test(a_list_is_cut_to_its_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's command line, as written by people and by GRUB.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/cmdline.h"

static void assert_value(const char *key, const char *expected)
{
    char value[CMDLINE_SIZE];

    assert_true(cmdline_value(key, value, sizeof(value)));
    assert_string_equal(value, expected);
}

/* True if the bare word is an argument that no caller can request. */
static bool is_there(const char *bare)
{
    const char *word = cmdline_next_unasked(NULL);

    while (word && strcmp(word, bare) != 0)
        word = cmdline_next_unasked(word);
    return word;
}

static void assert_no_value(const char *key)
{
    char value[CMDLINE_SIZE] = "before";

    assert_false(cmdline_value(key, value, sizeof(value)));
    assert_string_equal(value, "");
}

static void keys_and_flags_are_told_apart(void **state)
{
    (void)state;
    cmdline_init("  quiet ring=64k\tempty= ");
    assert_true(is_there("quiet"));
    assert_no_value("quiet");
    assert_value("ring", "64k");
    assert_value("empty", "");
    assert_no_value("rin");
    assert_no_value("ring=64k");
    assert_false(is_there("qui"));
    assert_false(is_there("quiet "));
    assert_null(cmdline_complaint());
}

static void an_empty_line_has_nothing(void **state)
{
    (void)state;
    cmdline_init("");
    assert_no_value("run");
    assert_null(cmdline_next_unasked(NULL));
    assert_null(cmdline_complaint());
}

/* GRUB puts the whole argument in quotes, with a backslash before \ ' and ". */
static void both_ways_to_quote_mean_the_same(void **state)
{
    static const char *const lines[] = {
        "a run=\"perf list; poweroff\" b",
        "a \"run=perf list; poweroff\" b",
        "a run='perf list; poweroff' b",
        "a run=perf\\ list;\\ poweroff b",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        cmdline_init(lines[i]);
        assert_value("run", "perf list; poweroff");
        assert_true(is_there("a"));
        assert_true(is_there("b"));
    }
}

static void quotes_within_quotes_reach_the_value(void **state)
{
    (void)state;
    cmdline_init("\"run=say \\'a b\\' \\\"c\\\" \\\\d\" it\\'s=1");
    assert_value("run", "say 'a b' \"c\" \\d");
    assert_value("it's", "1");
    cmdline_init("run='say \"a b\"' path=C:\\dir");
    assert_value("run", "say \"a b\"");
    assert_value("path", "C:\\dir");
    cmdline_init("run='a\\\\b'");
    assert_value("run", "a\\\\b");
}

static void the_last_of_a_key_counts(void **state)
{
    (void)state;
    cmdline_init("run=help run2=x run=regs");
    assert_value("run", "regs");
}

static void a_value_that_does_not_fit_is_not_given_in_part(void **state)
{
    char value[5];

    (void)state;
    cmdline_init("four=1234 five=12345");
    assert_true(cmdline_value("four", value, sizeof(value)));
    assert_string_equal(value, "1234");
    assert_false(cmdline_value("five", value, sizeof(value)));
    assert_string_equal(value, "");
}

static void an_open_quote_costs_its_argument_and_says_so(void **state)
{
    (void)state;
    cmdline_init("quiet run=\"perf list");
    assert_true(is_there("quiet"));
    assert_no_value("run");
    assert_non_null(strstr(cmdline_complaint(), "quote"));
    assert_non_null(strstr(cmdline_complaint(), "run="));
}

static void what_is_too_long_is_left_out_whole(void **state)
{
    static char text[3 * CMDLINE_SIZE];

    (void)state;
    strcpy(text, "quiet run=");
    memset(text + strlen(text), 'x', 2 * CMDLINE_SIZE);
    cmdline_init(text);
    assert_true(is_there("quiet"));
    assert_no_value("run");
    assert_non_null(strstr(cmdline_complaint(), "4096"));

    cmdline_init("quiet");
    assert_null(cmdline_complaint());
}

/* "a=", the value and the line's end are 4096 bytes if the value has 4093. */
static void the_longest_argument_fits(void **state)
{
    static char text[CMDLINE_SIZE + 10], value[CMDLINE_SIZE];

    (void)state;
    strcpy(text, "a=");
    memset(text + 2, 'x', CMDLINE_SIZE - 3);
    cmdline_init(text);
    assert_null(cmdline_complaint());
    assert_true(cmdline_value("a", value, sizeof(value)));
    assert_int_equal(strlen(value), CMDLINE_SIZE - 3);
    strcat(text, "x");
    cmdline_init(text);
    assert_non_null(cmdline_complaint());
}

/*
 * In quotes, like run=: the refusal must be about the length, not about the closing quote that was
 * cut off.
 */
static void what_is_cut_is_too_long(void **state)
{
    static char text[CMDLINE_SIZE + 1];

    (void)state;
    strcpy(text, "quiet \"run=");
    memset(text + strlen(text), 'x', sizeof(text) - 1 - strlen(text));
    cmdline_init(text);
    assert_true(is_there("quiet"));
    assert_no_value("run");
    assert_non_null(strstr(cmdline_complaint(), "4096"));
    assert_null(strstr(cmdline_complaint(), "quote"));

    /* Nor is a longer word that was cut off accepted as a bare word. */
    memset(text, 'x', sizeof(text) - 1);
    memcpy(text, "quiet ", 6);
    cmdline_init(text);
    assert_string_equal(cmdline_next_unasked(NULL), "quiet");
    assert_null(cmdline_next_unasked(cmdline_next_unasked(NULL)));
    assert_non_null(strstr(cmdline_complaint(), "4096"));
}

static void many_short_arguments_fit(void **state)
{
    static char text[CMDLINE_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(text) - 1; i++)
        text[i] = i % 2 ? ' ' : 'a';
    text[sizeof(text) - 2] = 'z';
    cmdline_init(text);
    assert_null(cmdline_complaint());
    assert_true(is_there("z"));
}

static void words_that_were_not_asked_for_can_be_listed(void **state)
{
    const char *word;

    (void)state;
    cmdline_init("rum=help run=list quiet=1 rum=x verbose");
    assert_value("run", "list");
    assert_value("quiet", "1");
    word = cmdline_next_unasked(NULL);
    assert_string_equal(word, "rum=help");
    word = cmdline_next_unasked(word);
    assert_string_equal(word, "rum=x");
    word = cmdline_next_unasked(word);
    assert_string_equal(word, "verbose");
    assert_null(cmdline_next_unasked(word));
}

static void assert_number(const char *line, uint64_t expected)
{
    uint64_t number = 1;
    struct refusal why;

    cmdline_init(line);
    assert_int_equal(cmdline_number("n", &number, &why), 0);
    assert_true(number == expected);
}

static void assert_no_number(const char *line, int error, const char *reason)
{
    uint64_t number = 77;
    struct refusal why;

    cmdline_init(line);
    assert_int_equal(cmdline_number("n", &number, &why), error);
    assert_int_equal(number, 77);
    assert_non_null(strstr(why.text, reason));
}

static void numbers_have_bases_and_suffixes(void **state)
{
    (void)state;
    assert_number("n=0", 0);
    assert_number("n=42", 42);
    assert_number("n=0x1F", 31);
    assert_number("n=64k", 64 << 10);
    assert_number("n=3M", 3 << 20);
    assert_number("n=0x2g", 2ull << 30);
    assert_number("n=18446744073709551615", UINT64_MAX);
    assert_number("n=0xffffffffffffffff", UINT64_MAX);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    assert_no_number("n", -ENOENT, "n=");
    assert_no_number("n=", -EINVAL, "n=");
    assert_no_number("n=k", -EINVAL, "n=k");
    assert_no_number("n=0x", -EINVAL, "n=0x");
    assert_no_number("n=-1", -EINVAL, "n=-1");
    assert_no_number("n=12q", -EINVAL, "n=12q");
    assert_no_number("n=12kb", -EINVAL, "n=12kb");
    assert_no_number("n=1f", -EINVAL, "n=1f");
    assert_no_number("n=18446744073709551616", -ERANGE, "64 bits");
    assert_no_number("n=17179869184g", -ERANGE, "64 bits");
}

static void random_text_stays_inside_its_memory(void **state)
{
    static const char alphabet[] = "ab= \t'\"\\";

    (void)state;
    srand(1);
    for (int round = 0; round < 2000; round++) {
        size_t length = (size_t)rand() % (2 * CMDLINE_SIZE);
        char *text = malloc(length + 1), value[16];

        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
        text[length] = '\0';
        cmdline_init(text);
        free(text);
        cmdline_value("a", value, sizeof(value));
        for (const char *word = NULL; (word = cmdline_next_unasked(word));)
            assert_int_not_equal(strncmp(word, "a=", 2), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_flags_are_told_apart),
        cmocka_unit_test(an_empty_line_has_nothing),
        cmocka_unit_test(both_ways_to_quote_mean_the_same),
        cmocka_unit_test(quotes_within_quotes_reach_the_value),
        cmocka_unit_test(the_last_of_a_key_counts),
        cmocka_unit_test(a_value_that_does_not_fit_is_not_given_in_part),
        cmocka_unit_test(an_open_quote_costs_its_argument_and_says_so),
        cmocka_unit_test(what_is_too_long_is_left_out_whole),
        cmocka_unit_test(the_longest_argument_fits),
        cmocka_unit_test(what_is_cut_is_too_long),
        cmocka_unit_test(many_short_arguments_fit),
        cmocka_unit_test(words_that_were_not_asked_for_can_be_listed),
        cmocka_unit_test(numbers_have_bases_and_suffixes),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(random_text_stays_inside_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

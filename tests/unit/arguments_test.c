/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of command lines: words, quotes, and the `;` between commands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/arguments.h"

/* Checks that `line` splits into these words; the list ends with NULL. */
static void assert_words(const char *line, ...)
{
    char text[400];
    struct arguments arguments;
    struct refusal why;
    va_list expected;
    int count = 0;

    assert_true(strlen(line) < sizeof(text));
    strcpy(text, line);
    assert_int_equal(arguments_split(text, &arguments, &why), 0);
    va_start(expected, line);
    for (const char *word; (word = va_arg(expected, const char *)); count++) {
        assert_true(count < arguments.count);
        assert_string_equal(arguments.value[count], word);
    }
    va_end(expected);
    assert_int_equal(arguments.count, count);
    assert_null(arguments.value[count]);
}

static void assert_refused(const char *line, int error, const char *reason)
{
    char text[400];
    struct arguments arguments;
    struct refusal why;

    assert_true(strlen(line) < sizeof(text));
    strcpy(text, line);
    assert_int_equal(arguments_split(text, &arguments, &why), error);
    assert_non_null(strstr(why.text, reason));
}

/* Checks that `script` splits into these commands; the list ends with NULL. */
static void assert_commands(const char *script, ...)
{
    struct arguments_command command;
    va_list expected;

    va_start(expected, script);
    for (const char *text; (text = va_arg(expected, const char *));) {
        assert_true(arguments_next_command(&script, &command));
        assert_int_equal(command.length, strlen(text));
        assert_memory_equal(command.text, text, command.length);
    }
    va_end(expected);
    assert_false(arguments_next_command(&script, &command));
    assert_int_equal(*script, '\0');
}

static void blanks_separate_words(void **state)
{
    (void)state;
    assert_words("", NULL);
    assert_words("  \t ", NULL);
    assert_words("help", "help", NULL);
    assert_words("  perf   record\t-g ", "perf", "record", "-g", NULL);
}

static void quotes_hold_a_word_together(void **state)
{
    (void)state;
    assert_words("a 'b c' \"d e\"", "a", "b c", "d e", NULL);
    assert_words("pre'fix 'suf\"f i\"x", "prefix suff ix", NULL);
    assert_words("'' \"\"", "", "", NULL);
    assert_words("'it is \"so\"' \"it's\"", "it is \"so\"", "it's", NULL);
    assert_words("\"a;b\" 'c;d'", "a;b", "c;d", NULL);
}

static void a_backslash_hides_the_next_character(void **state)
{
    (void)state;
    assert_words("a\\ b \\'c\\\" \\\\", "a b", "'c\"", "\\", NULL);
    assert_words("\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d", NULL);
    assert_words("'a\\b'", "a\\b", NULL);
    assert_words("end\\ ", "end ", NULL);
}

static void what_does_not_end_is_refused(void **state)
{
    (void)state;
    assert_refused("say 'hello", -EINVAL, "quote '");
    assert_refused("say \"hello", -EINVAL, "quote \"");
    assert_refused("say \"hello\\\"", -EINVAL, "quote \"");
    assert_refused("say hello\\", -EINVAL, "backslash");
}

static void thirty_two_words_fit_and_no_more(void **state)
{
    char text[200] = "";
    struct arguments arguments;
    struct refusal why;

    (void)state;
    for (int i = 0; i < ARGUMENTS_MAX; i++)
        strcat(text, " w");
    assert_int_equal(arguments_split(text, &arguments, &why), 0);
    assert_int_equal(arguments.count, ARGUMENTS_MAX);
    assert_null(arguments.value[ARGUMENTS_MAX]);

    text[0] = '\0';
    for (int i = 0; i < ARGUMENTS_MAX + 1; i++)
        strcat(text, " w");
    assert_int_equal(arguments_split(text, &arguments, &why), -E2BIG);
    assert_non_null(strstr(why.text, "32"));
}

static void semicolons_outside_quotes_separate_commands(void **state)
{
    (void)state;
    assert_commands("", NULL);
    assert_commands(" ;; ; ", NULL);
    assert_commands("help", "help", NULL);
    assert_commands("perf list; poweroff", "perf list", "poweroff", NULL);
    assert_commands(";a ;b;; c ;", "a", "b", "c", NULL);
    assert_commands("a ';' b; c \";\" d", "a ';' b", "c \";\" d", NULL);
    assert_commands("a\\;b;c", "a\\;b", "c", NULL);
    assert_commands("a \\ ;b", "a \\ ", "b", NULL);
    assert_commands("a 'b; c", "a 'b; c", NULL);
}

static void a_comment_reaches_to_the_end(void **state)
{
    char text[] = "a 'b #' c#d \\# # e; f";
    struct arguments arguments;
    struct refusal why;

    (void)state;
    assert_commands("# all; of it", NULL);
    assert_commands("perf list  # what; is there", "perf list", NULL);
    assert_commands("a; # b; c", "a", NULL);
    assert_commands("a ;#b", "a", NULL);
    assert_commands("a#b; c '# d'; e \\# f; \"g #\"", "a#b", "c '# d'", "e \\# f", "\"g #\"", NULL);
    assert_int_equal(arguments_split(text, &arguments, &why), 0);
    assert_int_equal(arguments.count, 4);
    assert_string_equal(arguments.value[1], "b #");
    assert_string_equal(arguments.value[2], "c#d");
    assert_string_equal(arguments.value[3], "#");
}

/* The text is in a heap block of its exact size, so the sanitizer detects reads past its end. */
static void random_text_stays_inside_its_memory(void **state)
{
    static const char alphabet[] = "ab \t;'\"\\";

    (void)state;
    srand(1);
    for (int round = 0; round < 100000; round++) {
        size_t length = (size_t)rand() % 40;
        char *text = malloc(length + 1);
        struct arguments_command command;
        struct arguments arguments;

        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
        text[length] = '\0';
        for (const char *script = text; arguments_next_command(&script, &command);) {
            assert_true(command.text + command.length <= text + length);
            assert_true(command.length > 0);
        }
        if (arguments_split(text, &arguments, NULL) == 0)
            assert_true(arguments.count <= ARGUMENTS_MAX);
        free(text);
    }
}

static void numbers_are_decimal_and_fit(void **state)
{
    static const char *const wrong[] = {"",      "-1", "+1",  "0x10",       "1 ",
                                        "seven", "1k", "7th", "4294967296", "18446744073709551617"};
    uint32_t number = 3;

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(arguments_number(wrong[i], &number));
    assert_int_equal(number, 3);
    assert_true(arguments_number("4294967295", &number) && number == UINT32_MAX);
    assert_true(arguments_number("007", &number) && number == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate_words),
        cmocka_unit_test(quotes_hold_a_word_together),
        cmocka_unit_test(a_backslash_hides_the_next_character),
        cmocka_unit_test(what_does_not_end_is_refused),
        cmocka_unit_test(thirty_two_words_fit_and_no_more),
        cmocka_unit_test(semicolons_outside_quotes_separate_commands),
        cmocka_unit_test(a_comment_reaches_to_the_end),
        cmocka_unit_test(numbers_are_decimal_and_fit),
        cmocka_unit_test(random_text_stays_inside_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

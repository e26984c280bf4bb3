/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists in messages: whatever the room, each word is whole, and "..." replaces those left out. A
 * message that is too long for a refusal also ends after a word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/refusal.h"
#include "core/lib/words.h"

static const char *const some[] = {"alpha", "be", "gamma", "d"};
#define SOME (sizeof(some) / sizeof(some[0]))

/* The first `count` words, and "..." if there are more. */
static void join(char *text, size_t count)
{
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        strcat(strcat(text, i ? ", " : ""), some[i]);
    if (count < SOME)
        strcat(strcat(text, count ? ", " : ""), "...");
}

static void a_list_ends_behind_a_word(void **state)
{
    char text[40], expected[40];
    size_t before = 0;

    (void)state;
    for (size_t size = WORDS_LEAST; size <= sizeof(text); size++) {
        struct words words;
        size_t count = SOME + 1;

        memset(text, '!', sizeof(text));
        words = words_begin(text, size);
        for (size_t i = 0; i < SOME; i++)
            words_add(&words, "%s", some[i]);
        assert_int_equal(strlen(text), words.length);
        assert_true(words.length < size);
        do
            join(expected, --count);
        while (count > 0 && strcmp(expected, text) != 0);
        assert_string_equal(text, expected);
        assert_true(count >= before);
        assert_int_equal(words.cut, count < SOME);
        assert_true(size == sizeof(text) || text[size] == '!');
        before = count;
    }
    assert_int_equal(before, SOME);
}

static void a_word_can_be_added_once(void **state)
{
    char text[40];
    struct words words = words_begin(text, sizeof(text));

    (void)state;
    words_add_once(&words, "name");
    words_add_once(&words, "na");
    words_add_once(&words, "name");
    words_add_once(&words, "ame");
    words_add_once(&words, "na");
    assert_string_equal(text, "name, na, ame");
}

static void a_refusal_ends_behind_a_word(void **state)
{
    struct refusal why;
    char words[sizeof(why.text) + 20];

    (void)state;
    for (size_t length = sizeof(why.text) - 12; length < sizeof(words); length++) {
        size_t end;

        for (size_t i = 0; i < length; i++)
            words[i] = i % 5 == 4 ? ' ' : 'w';
        words[length] = '\0';
        assert_int_equal(refuse(&why, EINVAL, "%s", words), -EINVAL);
        end = strlen(why.text);
        if (length < sizeof(why.text)) {
            assert_string_equal(why.text, words);
            continue;
        }
        assert_string_equal(why.text + end - 8, "wwww ...");
        assert_true(end < sizeof(why.text) && end + 5 >= sizeof(why.text));
    }
}

/* Text without blanks is cut at any character. */
static void a_refusal_without_a_blank_is_cut(void **state)
{
    struct refusal why;
    char word[sizeof(why.text) + 20];

    (void)state;
    memset(word, 'w', sizeof(word));
    word[sizeof(word) - 1] = '\0';
    refuse(&why, EINVAL, "%s", word);
    assert_int_equal(strlen(why.text), sizeof(why.text) - 1);
    assert_string_equal(why.text + sizeof(why.text) - 6, "w ...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_ends_behind_a_word),
        cmocka_unit_test(a_word_can_be_added_once),
        cmocka_unit_test(a_refusal_ends_behind_a_word),
        cmocka_unit_test(a_refusal_without_a_blank_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

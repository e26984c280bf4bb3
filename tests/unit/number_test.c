/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of numbers: what it accepts, where it stops, and the largest number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/number.h"

#define UNTOUCHED 77

/*
 * Reading `text` ends with `result` after `taken` characters. Returns the number, if there is one.
 */
static void assert_reads(const char *text, unsigned base, uint64_t most, enum number result,
                         size_t taken, uint64_t expected)
{
    const char *at = text;
    uint64_t number = UNTOUCHED;

    assert_int_equal(number_read(&at, base, most, &number), result);
    assert_int_equal(at - text, taken);
    assert_true(number == expected);
}

static void digits_are_of_the_base_and_of_either_case(void **state)
{
    (void)state;
    assert_int_equal(number_digit('0', 10), 0);
    assert_int_equal(number_digit('9', 10), 9);
    assert_int_equal(number_digit('a', 10), -1);
    assert_int_equal(number_digit('a', 16), 10);
    assert_int_equal(number_digit('F', 16), 15);
    for (const char *none = "/:@G`g"; *none; none++)
        assert_int_equal(number_digit(*none, 16), -1);
    assert_int_equal(number_digit('\0', 16), -1);
    assert_int_equal(number_digit((char)0xb1, 16), -1);
}

static void a_base_is_told_by_0x_alone(void **state)
{
    static const struct {
        const char *text;
        unsigned base, taken;
    } cases[] = {{"0x1", 16, 2}, {"0X", 16, 2}, {"01", 10, 0},
                 {"x1", 10, 0},  {"0", 10, 0},  {"", 10, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *at = cases[i].text;

        assert_int_equal(number_base(&at), cases[i].base);
        assert_int_equal(at - cases[i].text, cases[i].taken);
    }
}

static void a_number_ends_where_its_digits_do(void **state)
{
    (void)state;
    assert_reads("42,7", 10, UINT64_MAX, NUMBER_READ, 2, 42);
    assert_reads("007", 10, 7, NUMBER_READ, 3, 7);
    assert_reads("1fg", 16, UINT64_MAX, NUMBER_READ, 2, 0x1f);
    assert_reads("1f", 10, UINT64_MAX, NUMBER_READ, 1, 1);
    assert_reads("", 10, UINT64_MAX, NUMBER_NONE, 0, UNTOUCHED);
    assert_reads("-1", 10, UINT64_MAX, NUMBER_NONE, 0, UNTOUCHED);
    assert_reads(" 1", 10, UINT64_MAX, NUMBER_NONE, 0, UNTOUCHED);
}

static void the_largest_is_read_and_the_next_is_not(void **state)
{
    (void)state;
    assert_reads("18446744073709551615", 10, UINT64_MAX, NUMBER_READ, 20, UINT64_MAX);
    assert_reads("18446744073709551616", 10, UINT64_MAX, NUMBER_LARGE, 19, UNTOUCHED);
    assert_reads("ffffffffffffffff", 16, UINT64_MAX, NUMBER_READ, 16, UINT64_MAX);
    assert_reads("10000000000000000", 16, UINT64_MAX, NUMBER_LARGE, 16, UNTOUCHED);
    assert_reads("63", 10, 63, NUMBER_READ, 2, 63);
    assert_reads("64", 10, 63, NUMBER_LARGE, 1, UNTOUCHED);
    assert_reads("3", 10, 2, NUMBER_LARGE, 0, UNTOUCHED);
    assert_reads("0", 10, 0, NUMBER_READ, 1, 0);
    assert_reads("1", 10, 0, NUMBER_LARGE, 0, UNTOUCHED);
}

static void a_word_is_a_number_whole_or_not_at_all(void **state)
{
    static const char *const wrong[] = {"", "-1", "+1", "0x10", "1 ", "1k", "7th", "101"};
    uint64_t number = UNTOUCHED;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(number_parse(wrong[i], 100, &number));
    assert_int_equal(number, UNTOUCHED);
    assert_true(number_parse("100", 100, &number));
    assert_int_equal(number, 100);
}

static void a_size_may_have_a_unit_and_must_fit_with_it(void **state)
{
    static const char *const wrong[] = {"", "0", "0k", "k", "1kb", "1t", "0x10", "1 k", "1025m"};
    static const struct {
        const char *text;
        uint64_t size;
        bool unit;
    } right[] = {{"3", 3, false},          {"3k", 3 << 10, true},    {"3K", 3 << 10, true},
                 {"1024m", 1 << 30, true}, {"1024M", 1 << 30, true}, {"1g", 1 << 30, true},
                 {"1G", 1 << 30, true}};
    uint64_t size = UNTOUCHED;
    bool unit;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(number_parse_size(wrong[i], 1 << 30, &size, &unit));
    assert_int_equal(size, UNTOUCHED);
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        assert_true(number_parse_size(right[i].text, 1 << 30, &size, &unit));
        assert_int_equal(size, right[i].size);
        assert_int_equal(unit, right[i].unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_of_the_base_and_of_either_case),
        cmocka_unit_test(a_base_is_told_by_0x_alone),
        cmocka_unit_test(a_number_ends_where_its_digits_do),
        cmocka_unit_test(the_largest_is_read_and_the_next_is_not),
        cmocka_unit_test(a_word_is_a_number_whole_or_not_at_all),
        cmocka_unit_test(a_size_may_have_a_unit_and_must_fit_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

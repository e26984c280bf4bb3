/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Percentages against the C library, which computes them in doubles as perf does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/report/percent.h"
#include "tests/unit/random.h"

static void check(uint64_t part, uint64_t whole)
{
    char ours[40], theirs[40];
    unsigned long long hundredths = percent_hundredths(part, whole);

    snprintf(ours, sizeof(ours), "%llu.%02llu", hundredths / 100, hundredths % 100);
    snprintf(theirs, sizeof(theirs), "%.2f", 100.0 * (double)part / (double)whole);
    if (__builtin_strcmp(ours, theirs) != 0)
        fail_msg("%llu of %llu: %s instead of %s", (unsigned long long)part,
                 (unsigned long long)whole, ours, theirs);
}

static void every_share_of_small_wholes_prints_as_a_double_does(void **state)
{
    (void)state;
    for (uint64_t whole = 1; whole <= 800; whole++) {
        for (uint64_t part = 0; part <= whole; part++)
            check(part, whole);
    }
}

/* Exact halves of a hundredth: rounding depends on the value of the double. */
static void halves_go_the_way_the_double_goes(void **state)
{
    (void)state;
    for (uint64_t part = 1; part <= 20000; part += 2)
        check(part, 20000);
    assert_int_equal(percent_hundredths(1, 20000), 1);
    assert_int_equal(percent_hundredths(3, 20000), 1);
    assert_int_equal(percent_hundredths(1, 800), 12); /* 0.125 is exact: to even */
    assert_int_equal(percent_hundredths(3, 800), 38);
}

static void shares_of_any_size_print_as_a_double_does(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        uint64_t whole = random_word() >> (i % 64) | 1;
        uint64_t part = (random_word() >> (random_word() % 64)) % whole;
        check(part, whole);
        check(whole - part, whole);
        check(whole / 20000 * (part % 20000), whole / 20000 * 20000 | 1);
    }
    check(UINT64_MAX, UINT64_MAX);
    check(1, UINT64_MAX);
    check(UINT64_MAX - 1, UINT64_MAX);
}

static void check_least(uint64_t whole, uint32_t units)
{
    char percent[40];

    snprintf(percent, sizeof(percent), "%u.%04u", units / PERCENT_UNITS, units % PERCENT_UNITS);
    uint64_t theirs = (uint64_t)((double)whole * (strtod(percent, NULL) / 100));
    if (percent_least(whole, units) != theirs)
        fail_msg("%s per cent of %llu: %llu instead of %llu", percent, (unsigned long long)whole,
                 (unsigned long long)percent_least(whole, units), (unsigned long long)theirs);
}

/* In exact arithmetic 29 per cent of 100 are 29; 100 * (29.0 / 100) is 28.999... */
static void the_least_is_what_the_double_cut_off_is(void **state)
{
    (void)state;
    assert_int_equal(percent_least(100, 29 * PERCENT_UNITS), 28);
    assert_int_equal(percent_least(3168, PERCENT_UNITS / 2), 15);
    for (uint64_t whole = 0; whole <= 3000; whole++) {
        for (uint32_t percent = 0; percent <= 100; percent++)
            check_least(whole, percent * PERCENT_UNITS);
        check_least(whole, PERCENT_UNITS / 2);
        check_least(whole, PERCENT_UNITS / 2 + (uint32_t)whole);
    }
}

static void the_least_of_any_size_is_as_well(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++)
        check_least(random_word() >> (1 + i % 63),
                    (uint32_t)(random_word() % (100 * PERCENT_UNITS + 1)));
    check_least(INT64_MAX, 100 * PERCENT_UNITS);
    check_least(UINT64_MAX, 99 * PERCENT_UNITS);
    check_least(1, 1);
}

static void nothing_of_nothing_is_zero(void **state)
{
    (void)state;
    assert_int_equal(percent_hundredths(0, 0), 0);
    assert_int_equal(percent_hundredths(0, 5), 0);
    assert_int_equal(percent_least(0, PERCENT_UNITS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_share_of_small_wholes_prints_as_a_double_does),
        cmocka_unit_test(halves_go_the_way_the_double_goes),
        cmocka_unit_test(shares_of_any_size_print_as_a_double_does),
        cmocka_unit_test(the_least_is_what_the_double_cut_off_is),
        cmocka_unit_test(the_least_of_any_size_is_as_well),
        cmocka_unit_test(nothing_of_nothing_is_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mean and deviation computed in integers print the same as in doubles, which perf uses.
 *
 * libs: -lm
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/lib/assert.h"
#include "core/lib/deviation.h"
#include "tests/unit/random.h"

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

static bool near(double ours, double theirs, double within)
{
    return fabs(ours - theirs) <= within;
}

static void check(const uint64_t *values, unsigned count)
{
    struct deviation deviation = {0};
    long double mean = 0, squares = 0, of_mean;

    for (unsigned i = 0; i < count; i++) {
        deviation_add(&deviation, values[i]);
        mean += (long double)values[i] / count;
    }
    for (unsigned i = 0; i < count; i++)
        squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
    of_mean = count > 1 ? sqrtl(squares / (count - 1) / count) : 0;
    assert_true(near((double)deviation_mean(&deviation), (double)mean, 0.501));
    assert_true(near((double)deviation_of_mean(&deviation) + 0.5, (double)of_mean,
                     0.51 + (double)of_mean * 1e-12));
    if (mean > 0)
        assert_true(near((double)deviation_percent(&deviation), (double)(10000 * of_mean / mean),
                         0.51 + (double)(of_mean / mean) * 1e-2));
}

static void what_never_varies_has_no_deviation(void **state)
{
    struct deviation deviation = {0};

    (void)state;
    assert_int_equal(deviation_mean(&deviation), 0);
    assert_int_equal(deviation_of_mean(&deviation), 0);
    assert_int_equal(deviation_percent(&deviation), 0);
    for (unsigned i = 0; i < DEVIATION_RUNS_MAX; i++) {
        deviation_add(&deviation, 12345678901234);
        assert_int_equal(deviation_mean(&deviation), 12345678901234);
        assert_int_equal(deviation_of_mean(&deviation), 0);
        assert_int_equal(deviation_percent(&deviation), 0);
    }
    expect_assert_failure(deviation_add(&deviation, 0));
}

static void known_values_have_the_known_deviation(void **state)
{
    static const uint64_t values[] = {100, 102, 98, 104, 96};
    struct deviation deviation = {0};

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        deviation_add(&deviation, values[i]);
    assert_int_equal(deviation_mean(&deviation), 100);
    assert_int_equal(deviation_of_mean(&deviation), 1); /* the square root of 2 */
    assert_int_equal(deviation_percent(&deviation), 141);
}

static void small_numbers_are_as_exact_as_doubles(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        uint64_t values[12];
        unsigned count = 1 + (unsigned)(random_word() % 12);

        for (unsigned i = 0; i < count; i++)
            values[i] = random_word() % 50;
        check(values, count);
    }
}

static void numbers_of_any_size_and_nearness_are(void **state)
{
    static uint64_t values[DEVIATION_RUNS_MAX];

    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        unsigned count = 1 + (unsigned)(random_word() % (round % 50 ? 20 : DEVIATION_RUNS_MAX));
        uint64_t base = random_word() >> (11 + random_word() % 50);
        uint64_t range = (random_word() >> (12 + random_word() % 50)) + 1;

        for (unsigned i = 0; i < count; i++)
            values[i] = base + random_word() % range;
        check(values, count);
    }
}

/* No overflow: the sums hold the largest number of values and the largest deviations. */
static void the_most_and_the_farthest_have_room(void **state)
{
    static uint64_t values[DEVIATION_RUNS_MAX];

    (void)state;
    for (unsigned i = 0; i < DEVIATION_RUNS_MAX; i++)
        values[i] = i % 2 ? 1ull << 53 : 0;
    check(values, DEVIATION_RUNS_MAX);
    for (unsigned i = 0; i < DEVIATION_RUNS_MAX; i++)
        values[i] = i == 0 ? 0 : 1ull << 53;
    check(values, DEVIATION_RUNS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_never_varies_has_no_deviation),
        cmocka_unit_test(known_values_have_the_known_deviation),
        cmocka_unit_test(small_numbers_are_as_exact_as_doubles),
        cmocka_unit_test(numbers_of_any_size_and_nearness_are),
        cmocka_unit_test(the_most_and_the_farthest_have_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

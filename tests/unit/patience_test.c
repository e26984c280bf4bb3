/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a CPU waits for others, on the test's own clock: polls at steady intervals of any length
 * end a wait at its limit; a clock that jumps does not, because the others did not run meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/x86_64/smp/patience.h"

#define MS 1000000ull

/* The limits of a report or halt, and of parking or a start (arch/x86_64/cpu/). */
static const uint64_t limits[] = {300 * MS, 2000 * MS};
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

#define TURNS_LEAST 2 /* of each other CPU, before it counts as absent */
#define JUMP        (10000 * MS)
#define BOOT        123456789ull /* the clock's first value */

static void steady_looks_end_a_wait_at_its_limit(void **state)
{
    static const uint64_t steps[] = {MS / 100, MS, 7 * MS, 60 * MS, 100 * MS};
    struct patience patience;

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++)
        for (size_t s = 0; s < COUNT(steps); s++) {
            uint64_t now = BOOT;

            patience_begin(&patience, limits[l], now);
            do {
                now += steps[s];
                assert_true(now - BOOT < limits[l] + steps[s]);
            } while (!patience_is_over(&patience, now));
            assert_true(now - BOOT >= limits[l]);
        }
}

/* Before whichever poll it jumps, the wait then still takes the limit, less one poll. */
static void a_jump_of_the_clock_does_not_end_a_wait(void **state)
{
    struct patience patience;

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++)
        for (uint64_t jump_at = 0; jump_at < limits[l] / MS - 100; jump_at++) {
            uint64_t now = BOOT;

            patience_begin(&patience, limits[l], now);
            for (uint64_t look = 0; look < limits[l] / MS - 100; look++) {
                now += look == jump_at ? JUMP : MS;
                assert_false(patience_is_over(&patience, now));
            }
            while (!patience_is_over(&patience, now)) {
                now += MS;
                assert_true(now - BOOT - JUMP <= limits[l]);
            }
        }
}

static void a_machine_stopped_between_all_looks_has_its_turns(void **state)
{
    struct patience patience;

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        uint64_t now = BOOT;
        unsigned turns = 0;

        patience_begin(&patience, limits[l], now);
        /* the first poll comes before the waiting CPU has yielded */
        while (!patience_is_over(&patience, now += JUMP)) {
            turns++;
            assert_true(turns < limits[l] / (100 * MS));
        }
        assert_int_equal(turns, limits[l] / (100 * MS) - 1);
        assert_true(turns >= TURNS_LEAST);
    }
}

/* A report's time is taken out of the clock, and a CPU may come to a report in any wait. */
static void a_clock_that_goes_back_does_not_end_a_wait(void **state)
{
    struct patience patience;

    (void)state;
    patience_begin(&patience, 300 * MS, BOOT);
    assert_false(patience_is_over(&patience, BOOT - 1));
    assert_false(patience_is_over(&patience, BOOT - MS));
    for (unsigned i = 1; i < 300; i++)
        assert_false(patience_is_over(&patience, BOOT - MS + i * MS));
    assert_true(patience_is_over(&patience, BOOT - MS + 300 * MS));
}

/* A CPU that watches a report has counted its time, which is then subtracted again. */
static void time_that_is_taken_out_of_the_clock_comes_back(void **state)
{
    struct patience patience;

    (void)state;
    patience_begin(&patience, 300 * MS, BOOT);
    for (unsigned i = 1; i <= 200; i++)
        assert_false(patience_is_over(&patience, BOOT + i * MS));
    assert_false(patience_is_over(&patience, BOOT + 50 * MS));
    for (unsigned i = 51; i < 300; i++)
        assert_false(patience_is_over(&patience, BOOT + i * MS));
    assert_true(patience_is_over(&patience, BOOT + 300 * MS));
}

static void a_wait_that_is_over_stays_over(void **state)
{
    struct patience patience;

    (void)state;
    patience_begin(&patience, MS / 5, BOOT);
    assert_false(patience_is_over(&patience, BOOT));
    assert_true(patience_is_over(&patience, BOOT + JUMP));
    assert_true(patience_is_over(&patience, BOOT + JUMP));
    assert_true(patience_is_over(&patience, BOOT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_looks_end_a_wait_at_its_limit),
        cmocka_unit_test(a_jump_of_the_clock_does_not_end_a_wait),
        cmocka_unit_test(a_machine_stopped_between_all_looks_has_its_turns),
        cmocka_unit_test(a_clock_that_goes_back_does_not_end_a_wait),
        cmocka_unit_test(time_that_is_taken_out_of_the_clock_comes_back),
        cmocka_unit_test(a_wait_that_is_over_stays_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rate of samples: for hits at invented times it takes as many per second as requested, and
 * returns to that rate soon after the rate of hits changes. Extreme numbers never cause a period of
 * 0 or an endless one. Times are ns of the test's own clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/event/event.h"
#include "tests/unit/random.h"

#define SECOND 1000000000ull
#define TICK   (SECOND / 100)

/* Takes the place of core/event/event.c. */
static struct {
    struct pace pace;
    uint64_t left; /* of the period */
    uint64_t now, next_tick;
    uint64_t hits, weight, samples;
} run;

static void start(uint64_t hertz)
{
    run.now = 12345;
    run.next_tick = run.now + TICK;
    run.hits = run.weight = run.samples = 0;
    pace_start(&run.pace, hertz, run.now);
    run.left = run.pace.period;
    assert_int_equal(run.left, 1);
}

/* Lets time pass without a hit, but with ticks. */
static void pass(uint64_t until)
{
    for (; run.next_tick <= until; run.next_tick += TICK) {
        uint64_t before = run.pace.period, hits = before - run.left;
        uint64_t period = pace_tick(&run.pace, hits, run.next_tick);

        assert_true(period > hits && period <= before);
        run.left = period - hits;
    }
    run.now = until;
}

static void hit(void)
{
    run.hits++;
    if (--run.left > 0)
        return;
    run.samples++;
    run.weight += run.pace.period;
    run.left = pace_sample(&run.pace, run.now);
    assert_true(run.left > 0);
}

/* `rate` hits per second on average, each up to twice the mean after the last. */
static void hits_come(uint64_t rate, uint64_t duration)
{
    uint64_t until = run.now + duration, mean = SECOND / rate;

    for (;;) {
        uint64_t next = run.now + random_word() % (2 * mean + 1);

        if (next >= until)
            break;
        pass(next);
        hit();
    }
    pass(until);
}

/* Samples per second from now on. */
static uint64_t measure(uint64_t rate, uint64_t duration)
{
    uint64_t before = run.samples;

    hits_come(rate, duration);
    return (run.samples - before) * SECOND / duration;
}

static void assert_near(uint64_t measured, uint64_t wanted, unsigned percent)
{
    if (measured * 100 < wanted * (100 - percent) || measured * 100 > wanted * (100 + percent))
        fail_msg("%lu samples a second, not %lu", (unsigned long)measured, (unsigned long)wanted);
}

static const uint64_t rates[] = {100, 1000, 10000, 99999, 1000000, 5000000};
static const uint64_t hertzes[] = {10, 99, 1000, 4000, 100000};
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static void steady_hits_give_the_samples_that_were_asked_for(void **state)
{
    (void)state;
    for (size_t r = 0; r < COUNT(rates); r++)
        for (size_t h = 0; h < COUNT(hertzes); h++) {
            uint64_t most = rates[r] < hertzes[h] ? rates[r] : hertzes[h];

            start(hertzes[h]);
            hits_come(rates[r], SECOND);
            assert_near(measure(rates[r], 2 * SECOND), most, 10);
        }
}

static void a_cold_start_takes_few_samples_too_many(void **state)
{
    (void)state;
    for (size_t r = 0; r < COUNT(rates); r++)
        for (size_t h = 0; h < COUNT(hertzes); h++) {
            start(hertzes[h]);
            hits_come(rates[r], SECOND / 10);
            assert_true(run.samples <= hertzes[h] * 11 / 100 + 10);
            assert_true(run.samples >= (rates[r] < hertzes[h] ? rates[r] : hertzes[h]) * 7 / 100);
        }
}

static void each_hit_is_in_the_weight_of_one_sample(void **state)
{
    (void)state;
    start(1000);
    for (unsigned i = 0; i < 100; i++) {
        hits_come(1 + random_below(1000000), SECOND / 50);
        pass(run.now + random_word() % (SECOND / 20));
        assert_int_equal(run.weight + run.pace.period - run.left, run.hits);
    }
}

/* One millisecond of hits in every ten. */
static void bursts_give_as_many_samples_as_steady_hits(void **state)
{
    (void)state;
    start(1000);
    for (unsigned i = 0; i < 200; i++) {
        hits_come(1000000, SECOND / 1000);
        pass(run.now + 9 * SECOND / 1000);
    }
    assert_near(run.samples / 2, 1000, 15);
}

/*
 * Like a lock, which is taken and released at once: the interval between two hits proves nothing.
 */
static void hits_in_pairs_give_as_many_samples_as_steady_hits(void **state)
{
    (void)state;
    start(1000);
    for (unsigned i = 0; i < 4000; i++) {
        hit();
        pass(run.now + 500);
        hit();
        pass(run.now + SECOND / 2000);
    }
    assert_near(run.samples / 2, 1000, 10);
}

static void a_rate_that_changes_is_followed_within_a_quarter_of_a_second(void **state)
{
    static const uint64_t changes[] = {10000, 1000000, 10000, 2000000, 5000, 500000};

    (void)state;
    start(1000);
    for (size_t i = 0; i < COUNT(changes); i++) {
        uint64_t unsettled = measure(changes[i], SECOND / 4);

        assert_in_range(unsettled, 200, 2000);
        assert_near(measure(changes[i], SECOND), 1000, 10);
    }
}

static void hits_that_come_back_after_a_silence_do_not_flood(void **state)
{
    (void)state;
    start(1000);
    hits_come(100, SECOND);
    pass(run.now + 3600 * SECOND);
    assert_in_range(measure(5000000, SECOND / 1000), 1000, 40000); /* one to forty */
    assert_in_range(measure(5000000, SECOND / 10), 900, 3000);
    assert_near(measure(5000000, SECOND), 1000, 5);
}

/* Rare hits are sampled as soon as they come, at the latest a tick after the bound. */
static void hits_that_become_rare_are_not_waited_for(void **state)
{
    (void)state;
    start(1000);
    hits_come(5000000, SECOND);
    assert_in_range(run.pace.period, 4000, 6000);
    pass(run.now + 2 * TICK);
    assert_int_equal(run.left, 1);
}

/* A hit per nanosecond, more than any machine has. */
static void the_most_hits_are_not_too_many_for_its_numbers(void **state)
{
    struct pace pace;
    uint64_t now = 0;

    (void)state;
    for (uint64_t hertz = 1; hertz <= PACE_HERTZ_MAX; hertz *= 10) {
        pace_start(&pace, hertz, now);
        for (unsigned i = 0; i < 100; i++)
            pace_sample(&pace, now += pace.period);
        assert_near(SECOND / pace.period, hertz, 2);
    }
}

static void nothing_at_the_ends_of_its_range_stops_it(void **state)
{
    static const uint64_t steps[] = {0, 1, 999, SECOND, 1ull << 45, 1ull << 60};

    (void)state;
    for (uint64_t hertz = 1; hertz <= PACE_HERTZ_MAX; hertz = hertz * 7 + 3)
        for (unsigned round = 0; round < 200; round++) {
            struct pace pace;
            uint64_t now = 0, step = steps[random_below(COUNT(steps))];

            pace_start(&pace, hertz, now);
            for (unsigned i = 0; i < 15; i++) {
                uint64_t period = pace.period, hits = period > 1 ? random_word() % period : 0;

                now += step;
                period = pace_tick(&pace, hits, now);
                assert_true(period > hits && period == pace.period);
                period = pace_sample(&pace, now);
                assert_true(period > 0 && period == pace.period && period < 1ull << 48);
            }
        }
}

static int seed(void **state)
{
    (void)state;
    random_begin(7);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(steady_hits_give_the_samples_that_were_asked_for, seed),
        cmocka_unit_test_setup(a_cold_start_takes_few_samples_too_many, seed),
        cmocka_unit_test_setup(each_hit_is_in_the_weight_of_one_sample, seed),
        cmocka_unit_test_setup(bursts_give_as_many_samples_as_steady_hits, seed),
        cmocka_unit_test_setup(hits_in_pairs_give_as_many_samples_as_steady_hits, seed),
        cmocka_unit_test_setup(a_rate_that_changes_is_followed_within_a_quarter_of_a_second, seed),
        cmocka_unit_test_setup(hits_that_come_back_after_a_silence_do_not_flood, seed),
        cmocka_unit_test_setup(hits_that_become_rare_are_not_waited_for, seed),
        cmocka_unit_test_setup(the_most_hits_are_not_too_many_for_its_numbers, seed),
        cmocka_unit_test_setup(nothing_at_the_ends_of_its_range_stops_it, seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

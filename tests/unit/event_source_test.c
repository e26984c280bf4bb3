/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new source of events needs only one structure: core parses, refuses, enables, begins, counts,
 * samples and disables the one in this file like the four of core/event/, which are not linked.
 *
 * links: core/unwind/default_fp.c tests/unit/fake_arch.c tests/unit/fake_task.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/event/event.h"
#include "core/event/source.h"
#include "core/lib/number.h"
#include "core/sample/sample.h"
#include "tests/unit/fake_arch.h"

#define TYPE      17 /* not a PERF_TYPE_* */
#define COINS_MAX 8
#define RING_SIZE 4096

/* --- The source: coins are tossed; coin:N is coin number N. --- */

static struct event *coins[COINS_MAX];
static unsigned begins;

static int coin_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    struct spelling cursor = {spelling, why, NULL};
    uint64_t coin = 0;

    if (!spelling_skip(&cursor, "coin:"))
        return EVENT_IS_ANOTHERS;
    if (!number_parse(cursor.at, UINT64_MAX, &coin))
        return refuse(why, EINVAL, "\"%s\" is not a number", cursor.at);
    spec->attr.type = TYPE;
    spec->attr.config = coin;
    return 0;
}

static int coin_enable(struct event *event, struct refusal *why)
{
    if (event->spec.attr.config >= COINS_MAX)
        return refuse(why, ENOENT, "%s: there are %d coins", event->spec.name, COINS_MAX);
    coins[event->spec.attr.config] = event;
    return 0;
}

static void coin_begin(struct event *event)
{
    (void)event;
    begins++;
}

static void coin_disable(struct event *event)
{
    coins[event->spec.attr.config] = NULL;
}

static const struct event_source coin_source = {
    .spelt = "coin:NUMBER",
    .parse = coin_parse,
    .enable = coin_enable,
    .begin = coin_begin,
    .disable = coin_disable,
    .hertz_max = 1000,
};

/* Replaces core/event/sources.c. */
const struct event_source *const event_sources[] = {&coin_source};
const size_t event_source_count = 1;

static void toss(unsigned coin, uint64_t side)
{
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR, .ip = 0x1000 + coin, .flags = FLAGS_FIXED};

    if (coins[coin])
        event_hit(coins[coin], side, &regs);
}

/* --- Its use by core. --- */

static struct event_cpu cpus[ARCH_CPUS_MAX];
static struct event event;
static struct ring ring;
static struct refusal why;

static int setup(void **state)
{
    static uint64_t memory[RING_SIZE / 8];

    fake_arch_reset(state);
    memset(cpus, 0, sizeof(cpus));
    memset(coins, 0, sizeof(coins));
    begins = 0;
    return ring_init(&ring, memory, sizeof(memory), RING_NORMAL, false, &why);
}

static int make(const char *spelling)
{
    struct event_spec spec;
    int error = event_spec_parse(spelling, &spec, &why);

    if (error)
        return error;
    spec.attr.sample_type = SAMPLE_ALWAYS;
    spec.attr.sample_period = 2;
    event_init(&event, &spec, cpus);
    return event_enable(&event, &why);
}

static void its_spelling_is_its_own_and_all_else_is_refused_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(make("coin:3"), 0);
    assert_ptr_equal(event.spec.source, &coin_source);
    assert_ptr_equal(coins[3], &event);
    event_disable(&event);
    assert_null(coins[3]);
    assert_int_equal(make("coin:3:u"), -EINVAL);
    assert_int_equal(make("coin:head"), -EINVAL);
    assert_int_equal(make("mem:0x1000:w"), -EINVAL);
    assert_non_null(strstr(why.text, "coin:NUMBER"));
    assert_int_equal(make("coin:8"), -ENOENT);
    assert_string_equal(why.text, "coin:8: there are 8 coins");
}

static void its_hits_are_counted_and_sampled_like_any_others(void **state)
{
    uint64_t record[RING_SIZE / 8];
    struct ring_reader reader;

    (void)state;
    assert_int_equal(make("coin:5"), 0);
    event_begin(&event, &ring);
    assert_int_equal(begins, 1);
    toss(4, 1);
    for (unsigned i = 0; i < 4; i++)
        toss(5, 100 + i);
    event_sum(&event);
    assert_int_equal(event.recorded.count, 4);
    ring_reader_start(&reader, &ring);
    for (unsigned i = 1; i < 4; i += 2) {
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
        assert_int_equal(record[1], event.recorded.id);
        assert_int_equal(record[2], 0x1005);
        assert_int_equal(record[5], 100 + i);
    }
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_EMPTY);
    event_disable(&event);
    toss(5, 1);
    event_sum(&event);
    assert_int_equal(event.recorded.count, 4);
}

/* One with a frequency is in the list of those that adapt their period, and leaves it. */
static void it_may_keep_a_frequency(void **state)
{
    struct event_spec spec;

    (void)state;
    assert_int_equal(event_spec_parse("coin:1", &spec, &why), 0);
    spec.attr.sample_type = SAMPLE_ALWAYS | PERF_SAMPLE_PERIOD;
    spec.attr.freq = 1;
    spec.attr.sample_freq = 1000;
    event_init(&event, &spec, cpus);
    assert_int_equal(event_enable(&event, &why), 0);
    event_begin(&event, &ring);
    for (unsigned i = 0; i < 10000; i++) {
        fake_arch.clock += 1000;
        toss(1, i);
        if (i % 100 == 0)
            event_tick();
    }
    event_disable(&event);
    assert_in_range(ring.produced, 5, 50);        /* 10 ms */
    expect_assert_failure(event_disable(&event)); /* or the search runs off the list's end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(its_spelling_is_its_own_and_all_else_is_refused_by_its_name, setup),
        cmocka_unit_test_setup(its_hits_are_counted_and_sampled_like_any_others, setup),
        cmocka_unit_test_setup(it_may_keep_a_frequency, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

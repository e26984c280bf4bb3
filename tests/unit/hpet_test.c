/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drivers/hpet.c against a timer that behaves exactly as specified: the comparator signals at its
 * count, never later, and the line stays up until the signal is served. A delay before or after any
 * of the driver's accesses makes the machine lose some signals and get others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drivers/hpet.h"
#include "tests/unit/fake_device.h"

#define COUNTS_A_SECOND 100000000u /* QEMU's */
#define FEMTOSECONDS    10000000u  /* ... of each */
#define LINES           0x00ff0000u
#define LINE            20u
#define MOMENT_COUNTS   50u /* half of an access: 1 us, for an emulated one */
#define HERTZ           10000u
#define PERIOD          (COUNTS_A_SECOND / HERTZ)
#define NEVER           UINT32_MAX

static uint32_t femtoseconds;
static uint32_t control, status, count, setting, comparator;
static unsigned edges;        /* of the line so far */
static unsigned moments;      /* since the test began to count */
static unsigned held_up_at;   /* the moment at which the machine is delayed; NEVER */
static uint32_t held_up_for;  /* counts */
static volatile void *mapped; /* the registers */

/* The line is up as long as its status bit is set. */
static void time_passes(uint32_t counts)
{
    uint32_t away = comparator - count;

    if (!(control & 1))
        return;
    count += counts;
    if (away == 0 || away > counts || !(setting & 1u << 2) || status)
        return;
    status = 1;
    edges++;
}

/* The time that passes before or after an access. */
static void moment_passes(void)
{
    time_passes(moments == held_up_at ? held_up_for : MOMENT_COUNTS);
    moments++;
}

static uint32_t register_read(unsigned offset)
{
    switch (offset) {
    case 0x004:
        return femtoseconds;
    case 0x020:
        return status;
    case 0x0f0:
        return count;
    case 0x104:
        return LINES;
    default:
        abort(); /* the driver must not read anything else */
    }
}

static void register_write(unsigned offset, uint32_t value)
{
    switch (offset) {
    case 0x010:
        control = value;
        break;
    case 0x020:
        status &= ~value;
        break;
    case 0x0f0:
        count = value;
        break;
    case 0x0f4:
        break;
    case 0x100:
        setting = value;
        break;
    case 0x108:
        comparator = value;
        break;
    default:
        abort();
    }
}

static uint32_t device_read(unsigned offset)
{
    uint32_t value;

    moment_passes();
    value = register_read(offset);
    moment_passes();
    return value;
}

static void device_write(unsigned offset, uint32_t value)
{
    moment_passes();
    register_write(offset, value);
    moment_passes();
}

/* Called in each test: cmocka replaces fault handlers before it. */
static void start(void)
{
    static const struct fake_device device = {device_read, device_write};

    femtoseconds = FEMTOSECONDS;
    control = status = setting = comparator = 0;
    count = 12345;
    edges = moments = 0;
    held_up_at = NEVER;
    mapped = fake_device_map(&device);
}

static void begin(void)
{
    assert_null(hpet_init(mapped));
    hpet_set_line(LINE);
    hpet_set_rate(HERTZ);
}

/* True if the line has an edge within so many counts; then the count is that of the edge. */
static bool edge_comes(uint32_t counts)
{
    unsigned before = edges;
    uint32_t away = comparator - count;

    time_passes(away - 1 < counts ? away : counts);
    return edges != before;
}

static void one_that_does_not_answer_is_not_used(void **state)
{
    (void)state;
    start();
    femtoseconds = 0;
    assert_non_null(hpet_init(mapped));
    femtoseconds = 100000001;
    assert_non_null(hpet_init(mapped));
    femtoseconds = 100000000;
    assert_null(hpet_init(mapped));
}

static void it_is_stopped_until_a_rate_is_set(void **state)
{
    (void)state;
    start();
    control = 1;
    setting = 1u << 2;
    comparator = count + PERIOD;
    assert_null(hpet_init(mapped));
    assert_false(edge_comes(10 * PERIOD));
    assert_int_equal(hpet_possible_lines(), LINES);
}

static void signals_come_at_the_rate_and_on_the_line(void **state)
{
    (void)state;
    start();
    begin();
    assert_int_equal(setting >> 9 & 31, LINE);
    for (unsigned i = 1; i < HERTZ / 10; i++) {
        assert_true(edge_comes(PERIOD));
        assert_int_equal(count, i * PERIOD); /* no drift */
        assert_true(hpet_came());
        assert_false(hpet_came());
    }
}

static void there_is_no_second_signal_before_the_first_was_asked_for(void **state)
{
    (void)state;
    start();
    begin();
    assert_true(edge_comes(PERIOD));
    assert_false(edge_comes(5 * PERIOD));
    assert_true(hpet_came());
    assert_true(edge_comes(2 * PERIOD));
}

static void none_comes_when_it_is_stopped(void **state)
{
    (void)state;
    start();
    begin();
    assert_true(edge_comes(PERIOD));
    hpet_set_rate(0);
    assert_false(hpet_came());
    assert_false(edge_comes(10 * PERIOD));
    hpet_set_rate(HERTZ);
    assert_true(edge_comes(PERIOD));
}

static void the_counter_wraps(void **state)
{
    (void)state;
    start();
    begin();
    hpet_set_rate(1);
    for (unsigned i = 1; i < 100; i++) {
        assert_true(edge_comes(COUNTS_A_SECOND));
        assert_int_equal(count, i * COUNTS_A_SECOND);
        assert_true(hpet_came());
    }
}

/* Delayed for less than a period, for several, and until the counter is half a turn ahead. */
static void a_machine_that_is_held_up_anywhere_gets_the_next_signal(void **state)
{
    static const uint32_t lengths[] = {
        PERIOD / 2, PERIOD - MOMENT_COUNTS, PERIOD, PERIOD + 1, 5 * PERIOD, 300 * PERIOD};
    unsigned cases = 0;

    (void)state;
    start();
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
        for (held_up_at = 0;; held_up_at++, cases++) {
            unsigned at = held_up_at;

            held_up_at = NEVER;
            begin();
            assert_true(edge_comes(PERIOD));
            moments = 0;
            held_up_at = at;
            held_up_for = lengths[i];
            assert_true(hpet_came());
            if (moments <= held_up_at)
                break;
            if (!status)
                assert_true(edge_comes(2 * PERIOD));
            assert_true(hpet_came());
        }
    assert_true(cases >= 6 * 8);
}

static void a_machine_that_is_held_up_while_it_sets_the_rate_gets_the_first_signal(void **state)
{
    (void)state;
    start();
    for (held_up_at = 0;; held_up_at++) {
        unsigned at = held_up_at;

        held_up_at = NEVER;
        begin();
        moments = 0;
        held_up_at = at;
        held_up_for = 3 * PERIOD;
        hpet_set_rate(HERTZ);
        if (moments <= held_up_at)
            break;
        if (!status)
            assert_true(edge_comes(PERIOD));
        assert_true(hpet_came());
    }
    assert_true(held_up_at >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_does_not_answer_is_not_used),
        cmocka_unit_test(it_is_stopped_until_a_rate_is_set),
        cmocka_unit_test(signals_come_at_the_rate_and_on_the_line),
        cmocka_unit_test(there_is_no_second_signal_before_the_first_was_asked_for),
        cmocka_unit_test(none_comes_when_it_is_stopped),
        cmocka_unit_test(the_counter_wraps),
        cmocka_unit_test(a_machine_that_is_held_up_anywhere_gets_the_next_signal),
        cmocka_unit_test(a_machine_that_is_held_up_while_it_sets_the_rate_gets_the_first_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue between the serial interrupt and the console: no typed byte is lost, and ^C overtakes.
 *
 * links: tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/console/input.h"
#include "kernel/sched/wait_queue.h"

static unsigned wakes;

void wait_queue_wake_all(struct wait_queue *queue)
{
    (void)queue;
    wakes++;
}

/* No test waits. */
uint64_t wait_queue_sleep(struct wait_queue *queue, uint64_t flags)
{
    (void)queue, (void)flags;
    fail();
    return 0;
}

/* A device as drivers/uart16550.c drives it: on a refusal it stops and keeps the byte. */
static struct {
    const uint8_t *bytes; /* still in the device */
    size_t count;
    bool enabled;
    int held;
    unsigned resumed;
} device;

static void device_interrupt(void)
{
    while (device.enabled && device.count > 0) {
        uint8_t byte = *device.bytes++;
        device.count--;
        if (!input_put(byte)) {
            device.held = byte;
            device.enabled = false;
        }
    }
}

static void device_resume(void)
{
    device.resumed++;
    if (device.held >= 0)
        assert_true(input_put((uint8_t)device.held));
    device.held = -1;
    device.enabled = true;
    device_interrupt();
}

static void device_type(const void *bytes, size_t count)
{
    device.bytes = bytes;
    device.count = count;
    device_interrupt();
}

static int empty_queue(void **state)
{
    uint8_t byte;

    (void)state;
    input_set_resume(NULL);
    while (input_get(&byte))
        continue;
    memset(&device, 0, sizeof(device));
    device.enabled = true;
    device.held = -1;
    input_set_resume(device_resume);
    return 0;
}

static void assert_next(uint8_t expected)
{
    uint8_t byte = 0;

    assert_true(input_get(&byte));
    assert_int_equal(byte, expected);
}

static void assert_nothing_left(void)
{
    uint8_t byte;

    assert_false(input_pending());
    assert_false(input_get(&byte));
}

static void bytes_come_out_in_order(void **state)
{
    (void)state;
    assert_nothing_left();
    device_type("abc", 3);
    assert_true(input_pending());
    assert_next('a');
    assert_next('b');
    assert_next('c');
    assert_nothing_left();
}

static void every_byte_value_but_interrupt_passes(void **state)
{
    uint8_t all[256];

    (void)state;
    for (size_t i = 0; i < sizeof(all); i++)
        all[i] = i == INPUT_INTERRUPT ? 0 : (uint8_t)i;
    device_type(all, sizeof(all));
    for (size_t i = 0; i < sizeof(all); i++)
        assert_next(all[i]);
    assert_nothing_left();
}

static void a_full_queue_stops_the_device_and_loses_nothing(void **state)
{
    static uint8_t typed[100000];

    (void)state;
    for (size_t i = 0; i < sizeof(typed); i++)
        typed[i] = (uint8_t)(' ' + i % 95);
    device_type(typed, sizeof(typed));
    assert_false(device.enabled);
    assert_int_equal(device.count, sizeof(typed) - INPUT_QUEUE_SIZE - 1);
    for (size_t i = 0; i < sizeof(typed); i++)
        assert_next(typed[i]);
    assert_nothing_left();
    assert_true(device.resumed > 0);
    assert_true(device.enabled);
}

static void an_exactly_full_queue_needs_no_resume(void **state)
{
    static uint8_t typed[INPUT_QUEUE_SIZE];

    (void)state;
    memset(typed, 'x', sizeof(typed));
    device_type(typed, sizeof(typed));
    assert_true(device.enabled);
    for (size_t i = 0; i < sizeof(typed); i++)
        assert_next('x');
    assert_int_equal(device.resumed, 0);
}

static void interrupt_is_seen_at_once_and_drops_what_was_typed_before(void **state)
{
    (void)state;
    device_type("half a li", 9);
    assert_false(input_interrupted());
    device_type("\x03"
                "help\r",
                6);
    assert_true(input_interrupted());
    assert_true(input_pending());
    assert_next(INPUT_INTERRUPT);
    assert_false(input_interrupted());
    assert_next('h');
    assert_next('e');
    assert_next('l');
    assert_next('p');
    assert_next('\r');
    assert_nothing_left();
}

static void interrupt_into_an_empty_queue_comes_before_what_follows(void **state)
{
    (void)state;
    device_type("\x03x", 2);
    assert_next(INPUT_INTERRUPT);
    assert_next('x');
    assert_nothing_left();
}

static void each_interrupt_is_taken_once(void **state)
{
    (void)state;
    assert_false(input_take_interrupt());
    device_type("a\x03"
                "b\x03"
                "c",
                5);
    assert_true(input_take_interrupt());
    assert_true(input_take_interrupt());
    assert_false(input_take_interrupt());
    assert_next('c');
    assert_nothing_left();
}

/* Its bytes are dropped all at once, and the device must be resumed. */
static void an_interrupt_after_a_full_queue_resumes_the_device(void **state)
{
    static uint8_t typed[INPUT_QUEUE_SIZE + 2];

    (void)state;
    memset(typed, 'x', sizeof(typed));
    typed[INPUT_QUEUE_SIZE] = INPUT_INTERRUPT;
    typed[INPUT_QUEUE_SIZE + 1] = 'y';
    device_type(typed, sizeof(typed));
    assert_false(device.enabled);
    assert_true(input_interrupted());
    assert_true(input_take_interrupt());
    assert_int_equal(device.resumed, 1);
    assert_next('y');
    assert_nothing_left();
}

static void a_claimed_interrupt_is_not_for_the_reader_of_bytes(void **state)
{
    (void)state;
    input_claim_interrupt();
    device_type("a\x03"
                "b",
                3);
    assert_true(input_interrupted());
    assert_next('a');
    assert_next('b');
    assert_nothing_left();
    assert_true(input_take_interrupt());
    assert_false(input_interrupted());
    input_release_interrupt();
    assert_nothing_left();
}

static void who_reads_has_those_that_were_typed_before_the_claim(void **state)
{
    (void)state;
    device_type("a\x03", 2);
    input_claim_interrupt();
    assert_false(input_interrupted());
    assert_false(input_take_interrupt());
    device_type("\x03", 1);
    assert_true(input_take_interrupt());
    assert_next(INPUT_INTERRUPT);
    assert_nothing_left();
    device_type("\x03\x03", 2);
    assert_true(input_take_interrupt());
    input_release_interrupt();
    assert_next(INPUT_INTERRUPT);
    assert_nothing_left();
}

/* The reader has not been woken for it, or has found nothing. */
static void an_interrupt_that_was_not_taken_goes_back_to_the_reader(void **state)
{
    (void)state;
    input_claim_interrupt();
    device_type("\x03", 1);
    assert_nothing_left();
    wakes = 0;
    input_release_interrupt();
    assert_int_equal(wakes, 1);
    assert_true(input_pending());
    assert_next(INPUT_INTERRUPT);
    assert_nothing_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bytes_come_out_in_order, empty_queue),
        cmocka_unit_test_setup(every_byte_value_but_interrupt_passes, empty_queue),
        cmocka_unit_test_setup(a_full_queue_stops_the_device_and_loses_nothing, empty_queue),
        cmocka_unit_test_setup(an_exactly_full_queue_needs_no_resume, empty_queue),
        cmocka_unit_test_setup(interrupt_is_seen_at_once_and_drops_what_was_typed_before,
                               empty_queue),
        cmocka_unit_test_setup(interrupt_into_an_empty_queue_comes_before_what_follows,
                               empty_queue),
        cmocka_unit_test_setup(each_interrupt_is_taken_once, empty_queue),
        cmocka_unit_test_setup(an_interrupt_after_a_full_queue_resumes_the_device, empty_queue),
        cmocka_unit_test_setup(a_claimed_interrupt_is_not_for_the_reader_of_bytes, empty_queue),
        cmocka_unit_test_setup(who_reads_has_those_that_were_typed_before_the_claim, empty_queue),
        cmocka_unit_test_setup(an_interrupt_that_was_not_taken_goes_back_to_the_reader,
                               empty_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

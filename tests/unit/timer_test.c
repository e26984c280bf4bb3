/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers on a clock that the test sets: their order, that none is early, periods, and what a
 * timer's own function may do.
 *
 * links: tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/lib/assert.h"
#include "kernel/sched/preempt.h"
#include "kernel/time/timer.h"

#define CAUGHT 42 /* a child's exit status after an assert */

static uint64_t now;
static char fired[64]; /* a letter each, in order */

uint64_t arch_clock_ns(void)
{
    return now;
}

void assert_failed(const char *claim, const char *file, int line)
{
    (void)claim;
    (void)file;
    (void)line;
    _exit(CAUGHT);
}

static void note(void *data)
{
    assert_int_equal(preempt_count(), 0); /* no lock is held */
    strncat(fired, data, 1);
}

static void run_at(uint64_t time)
{
    now = time;
    timers_run();
}

static int reset(void **state)
{
    (void)state;
    now = 1000;
    fired[0] = '\0';
    return 0;
}

static void they_fire_in_order_and_never_early(void **state)
{
    struct timer a = {.function = note, .data = (void *)"a"},
                 b = {.function = note, .data = (void *)"b"},
                 c = {.function = note, .data = (void *)"c"},
                 d = {.function = note, .data = (void *)"d"};

    (void)state;
    timer_start(&a, 300, 0);
    timer_start(&b, 100, 0);
    timer_start(&c, 200, 0);
    timer_start(&d, 100, 0);
    run_at(1099);
    assert_string_equal(fired, "");
    run_at(1100);
    assert_string_equal(fired, "bd");
    run_at(1350);
    assert_string_equal(fired, "bdca");
    run_at(9999);
    assert_string_equal(fired, "bdca");
}

static void periods_that_passed_unseen_are_left_out(void **state)
{
    struct timer p = {.function = note, .data = (void *)"p"};

    (void)state;
    timer_start(&p, 50, 100);
    run_at(1050);
    run_at(1149);
    assert_string_equal(fired, "p");
    run_at(1150);
    assert_string_equal(fired, "pp");
    run_at(1570); /* 1250 is late, 1350 to 1550 are skipped */
    assert_string_equal(fired, "ppp");
    run_at(1649);
    assert_string_equal(fired, "ppp");
    run_at(1650);
    assert_string_equal(fired, "pppp");
    assert_true(timer_cancel(&p));
    run_at(9999);
    assert_string_equal(fired, "pppp");
}

static void a_cancelled_timer_is_silent_and_the_others_are_not(void **state)
{
    struct timer a = {.function = note, .data = (void *)"a"},
                 b = {.function = note, .data = (void *)"b"},
                 c = {.function = note, .data = (void *)"c"};

    (void)state;
    timer_start(&a, 1, 0);
    timer_start(&b, 2, 0);
    timer_start(&c, 3, 0);
    assert_true(timer_cancel(&b));
    assert_false(timer_cancel(&b));
    run_at(2000);
    assert_string_equal(fired, "ac");
    assert_false(timer_cancel(&a));
}

static struct timer self;

static void start_again(void *data)
{
    note(data);
    if (strlen(fired) < 3)
        timer_start(&self, 10, 0);
}

static void cancel_itself(void *data)
{
    note(data);
    assert_false(timer_cancel(&self));
}

static void its_function_may_start_or_cancel_it(void **state)
{
    (void)state;
    self = (struct timer){.function = start_again, .data = (void *)"s"};
    timer_start(&self, 10, 0);
    run_at(1010);
    run_at(1020);
    run_at(1030);
    run_at(9999);
    assert_string_equal(fired, "sss");

    self = (struct timer){.function = cancel_itself, .data = (void *)"x"};
    timer_start(&self, 10, 10);
    run_at(10009);
    run_at(10100);
    assert_string_equal(fired, "sssx");
}

static void forget(void *data)
{
    note(data);
    memset(&self, 0xee, sizeof(self)); /* as if on a stack that no longer exists */
}

static void a_timer_that_fires_once_may_be_gone_afterwards(void **state)
{
    (void)state;
    self = (struct timer){.function = forget, .data = (void *)"f"};
    timer_start(&self, 10, 0);
    run_at(1010);
    run_at(9999);
    assert_string_equal(fired, "f");
}

static void starting_one_that_waits_is_an_assertion(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        struct timer a = {.function = note, .data = (void *)"a"};

        timer_start(&a, 1, 0);
        timer_start(&a, 1, 0);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), CAUGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(they_fire_in_order_and_never_early, reset),
        cmocka_unit_test_setup(periods_that_passed_unseen_are_left_out, reset),
        cmocka_unit_test_setup(a_cancelled_timer_is_silent_and_the_others_are_not, reset),
        cmocka_unit_test_setup(its_function_may_start_or_cancel_it, reset),
        cmocka_unit_test_setup(a_timer_that_fires_once_may_be_gone_afterwards, reset),
        cmocka_unit_test_setup(starting_one_that_waits_is_an_assertion, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

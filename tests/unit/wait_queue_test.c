/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run queues and wait queues: threads leave in the order in which they entered, and a sleeper is
 * woken once.
 *
 * links: tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/sched/scheduler.h"
#include "kernel/sched/wait_queue.h"

#define THREADS 5

static struct thread threads[THREADS];
static struct thread *current;
static struct thread *woken[THREADS];
static unsigned woken_count;
static unsigned irqs_off;
static void (*while_asleep)(void); /* what the other threads do */

unsigned arch_cpu_id(void)
{
    return 0;
}

uint64_t arch_irq_save(void)
{
    return irqs_off++;
}

void arch_irq_restore(uint64_t flags)
{
    irqs_off = (unsigned)flags;
}

void arch_relax(void)
{
    fail_msg("nobody else can hold a lock here");
}

struct thread *thread_current(void)
{
    return current;
}

void scheduler_sleep(struct spinlock *lock)
{
    assert_int_equal(preempt_count(), 1);
    assert_int_equal(irqs_off, 1);
    assert_non_null(current->waits_on);
    spinlock_release(lock);
    if (while_asleep)
        while_asleep();
}

void scheduler_wake(struct thread *thread)
{
    assert_true(irqs_off > 0);
    assert_null(thread->waits_on);
    assert_true(woken_count < THREADS);
    woken[woken_count++] = thread;
}

static int reset(void **state)
{
    (void)state;
    woken_count = 0;
    while_asleep = NULL;
    return 0;
}

static void a_run_queue_keeps_the_order(void **state)
{
    struct run_queue queue = {NULL, NULL};

    (void)state;
    assert_true(run_queue_is_empty(&queue));
    assert_null(run_queue_take(&queue));
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < THREADS; i++)
            run_queue_put(&queue, &threads[i]);
        for (unsigned i = 0; i < THREADS; i++) {
            assert_false(run_queue_is_empty(&queue));
            assert_ptr_equal(run_queue_take(&queue), &threads[i]);
        }
        assert_null(run_queue_take(&queue));
    }
}

static void the_first_to_go_around_comes_last(void **state)
{
    struct run_queue queue = {NULL, NULL};

    (void)state;
    run_queue_put(&queue, &threads[0]);
    run_queue_put(&queue, &threads[1]);
    for (unsigned i = 0; i < 10; i++) {
        struct thread *first = run_queue_take(&queue);

        assert_ptr_equal(first, &threads[i % 2]);
        run_queue_put(&queue, first);
    }
}

static void sleep_as(struct wait_queue *queue, struct thread *thread)
{
    uint64_t flags = wait_queue_lock(queue);

    current = thread;
    flags = wait_queue_sleep(queue, flags);
    assert_int_equal(preempt_count(), 1);
    wait_queue_unlock(queue, flags);
    assert_int_equal(preempt_count(), 0);
    assert_int_equal(irqs_off, 0);
}

static void wake_one(struct wait_queue *queue)
{
    uint64_t flags = wait_queue_lock(queue);

    wait_queue_wake_one_locked(queue);
    wait_queue_unlock(queue, flags);
}

static void one_wake_up_is_for_the_first_waiter(void **state)
{
    struct wait_queue queue = WAIT_QUEUE("a test");

    (void)state;
    sleep_as(&queue, &threads[2]);
    sleep_as(&queue, &threads[0]);
    assert_ptr_equal(threads[0].waits_on, &queue);
    wake_one(&queue);
    assert_int_equal(woken_count, 1);
    assert_ptr_equal(woken[0], &threads[2]);
    wake_one(&queue);
    assert_ptr_equal(woken[1], &threads[0]);
    wake_one(&queue);
    assert_int_equal(woken_count, 2);
}

static void all_are_woken_in_their_order(void **state)
{
    struct wait_queue queue = WAIT_QUEUE("a test");

    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        sleep_as(&queue, &threads[i]);
    wait_queue_wake_all(&queue);
    assert_int_equal(woken_count, THREADS);
    for (unsigned i = 0; i < THREADS; i++)
        assert_ptr_equal(woken[i], &threads[i]);
}

static struct wait_queue woken_meanwhile = WAIT_QUEUE("a test");

static void wake_the_sleeper(void)
{
    wait_queue_wake_all(&woken_meanwhile);
}

static void a_sleeper_is_in_the_queue_before_the_lock_is_free(void **state)
{
    (void)state;
    while_asleep = wake_the_sleeper;
    sleep_as(&woken_meanwhile, &threads[3]);
    assert_int_equal(woken_count, 1);
    assert_ptr_equal(woken[0], &threads[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_run_queue_keeps_the_order, reset),
        cmocka_unit_test_setup(the_first_to_go_around_comes_last, reset),
        cmocka_unit_test_setup(one_wake_up_is_for_the_first_waiter, reset),
        cmocka_unit_test_setup(all_are_woken_in_their_order, reset),
        cmocka_unit_test_setup(a_sleeper_is_in_the_queue_before_the_lock_is_free, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

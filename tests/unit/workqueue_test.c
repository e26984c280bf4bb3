/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work queue, with a worker that runs only while another thread sleeps: order, work that queues
 * itself, what a flush waits for.
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

#include <cmocka.h>

#include "core/lib/assert.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/scheduler.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/sched/workqueue.h"

static struct thread worker, tester;
static struct thread *current = &tester;
static void (*worker_function)(void *);
static void *worker_data;
static jmp_buf worker_sleeps;
static char done[64]; /* a letter each, in order */

_Noreturn void panic(const char *format, ...)
{
    (void)format;
    abort();
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    (void)claim;
    (void)file;
    (void)line;
    abort();
}

struct thread *thread_current(void)
{
    return current;
}

unsigned arch_cpus(void)
{
    return 1;
}

bool arch_cpu_runs(unsigned cpu)
{
    return cpu == 0;
}

struct thread *thread_create_on(unsigned cpu, const char *name, void (*function)(void *data),
                                void *data, struct refusal *why)
{
    (void)why;
    assert_int_equal(cpu, 0);
    assert_string_equal(name, "kworker/0");
    worker_function = function;
    worker_data = data;
    return &worker;
}

static void forget_sleeper(struct spinlock *lock)
{
    struct wait_queue *queue =
        (struct wait_queue *)((char *)lock - offsetof(struct wait_queue, lock));

    assert_ptr_equal(run_queue_take(&queue->sleepers), current);
    spinlock_release(lock);
}

/* Runs the worker from its beginning until it has nothing to do. */
static void run_worker(void)
{
    current = &worker;
    if (setjmp(worker_sleeps) == 0)
        worker_function(worker_data);
    current = &tester;
}

void scheduler_sleep(struct spinlock *lock)
{
    forget_sleeper(lock);
    if (current == &worker)
        longjmp(worker_sleeps, 1);
    run_worker();
}

/* Called only by workqueue_init, to wait; the tests let the worker run by themselves. */
void thread_yield(void)
{
    worker.state = THREAD_SLEEPING;
}

void scheduler_wake(struct thread *thread)
{
    (void)thread;
}

static void note(struct work *work)
{
    assert_ptr_equal(current, &worker);
    assert_int_equal(preempt_count(), 0);
    strncat(done, work->data, 1);
}

static int reset(void **state)
{
    (void)state;
    done[0] = '\0';
    if (!worker_function)
        workqueue_init();
    return 0;
}

static void work_is_done_in_order_and_once(void **state)
{
    struct work a = {.function = note, .data = (void *)"a"},
                b = {.function = note, .data = (void *)"b"},
                c = {.function = note, .data = (void *)"c"};

    (void)state;
    assert_true(work_queue(&b));
    assert_true(work_queue(&a));
    assert_false(work_queue(&b));
    assert_true(work_queue(&c));
    assert_string_equal(done, "");
    work_flush();
    assert_string_equal(done, "bac");
    assert_true(work_queue(&b));
    work_flush();
    assert_string_equal(done, "bacb");
}

static void queue_again(struct work *work)
{
    note(work);
    if (strlen(done) < 3)
        assert_true(work_queue(work));
}

static void work_may_queue_itself(void **state)
{
    struct work again = {.function = queue_again, .data = (void *)"r"};

    (void)state;
    work_queue(&again);
    run_worker();
    assert_string_equal(done, "rrr");
}

static void a_flush_of_nothing_does_not_wait(void **state)
{
    (void)state;
    current = NULL; /* the sleeping thread is in no queue */
    work_flush();
    current = &tester;
}

static void forget(struct work *work)
{
    note(work);
    memset(work, 0xee, sizeof(*work));
}

static void work_may_be_gone_afterwards(void **state)
{
    struct work gone = {.function = forget, .data = (void *)"g"},
                next = {.function = note, .data = (void *)"n"};

    (void)state;
    work_queue(&gone);
    work_queue(&next);
    work_flush();
    assert_string_equal(done, "gn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(work_is_done_in_order_and_once, reset),
        cmocka_unit_test_setup(work_may_queue_itself, reset),
        cmocka_unit_test_setup(a_flush_of_nothing_does_not_wait, reset),
        cmocka_unit_test_setup(work_may_be_gone_afterwards, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

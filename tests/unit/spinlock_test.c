/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The locks, with two threads in place of two CPUs: what they count under a lock adds up.
 *
 * links: tests/unit/fake_preempt.c tests/unit/fake_scheduler.c
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/lib/assert.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/lock/spinlock.h"

#define CPUS     2
#define ROUNDS   200000
#define PATIENCE 50 /* polls of a taken lock, after which a CPU counts as waiting */

static _Thread_local unsigned cpu;
static _Thread_local bool irqs_off;
static unsigned long waits; /* how often a CPU found a lock taken */

unsigned arch_cpu_id(void)
{
    return cpu;
}

uint64_t arch_irq_save(void)
{
    uint64_t flags = irqs_off;

    irqs_off = true;
    return flags;
}

void arch_irq_restore(uint64_t flags)
{
    irqs_off = flags;
}

/* The CPU that is waited for may need this thread's processor. */
void arch_relax(void)
{
    __atomic_fetch_add(&waits, 1, __ATOMIC_RELEASE);
    sched_yield();
}

/* cmocka's only works on the thread that runs the test. */
void assert_failed(const char *claim, const char *file, int line)
{
    (void)claim;
    (void)file;
    (void)line;
    abort();
}

struct cpu_start {
    unsigned number;
    void (*work)(void);
    pthread_barrier_t *together; /* so that no CPU is done before another begins */
};

static void *cpu_run(void *argument)
{
    struct cpu_start *start = argument;

    cpu = start->number;
    pthread_barrier_wait(start->together);
    for (int i = 0; i < ROUNDS; i++)
        start->work();
    return NULL;
}

static void run_on_all_cpus(void (*work)(void))
{
    struct cpu_start starts[CPUS];
    pthread_t threads[CPUS];
    pthread_barrier_t together;

    pthread_barrier_init(&together, NULL, CPUS);
    for (unsigned i = 0; i < CPUS; i++) {
        starts[i] = (struct cpu_start){.number = i, .work = work, .together = &together};
        assert_int_equal(pthread_create(&threads[i], NULL, cpu_run, &starts[i]), 0);
    }
    for (unsigned i = 0; i < CPUS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&together);
}

/* Read and written in two steps, between which no other CPU may run. */
static volatile unsigned long counter;

static struct spinlock lock;

static void count_under_spinlock(void)
{
    spinlock_acquire(&lock);
    counter = counter + 1;
    spinlock_release(&lock);
}

static void count_under_spinlock_irq(void)
{
    uint64_t flags = spinlock_acquire_irq(&lock);

    assert(irqs_off);
    counter = counter + 1;
    spinlock_release_irq(&lock, flags);
    assert(!irqs_off);
}

static void count_under_kernel_lock(void)
{
    lock_kernel();
    lock_kernel();
    assert(kernel_flag == 1);
    counter = counter + 1;
    unlock_kernel();
    assert(kernel_flag == 1);
    unlock_kernel();
}

static void a_spinlock_keeps_the_other_cpu_out(void **state)
{
    (void)state;
    counter = 0;
    run_on_all_cpus(count_under_spinlock);
    assert_int_equal(counter, CPUS * ROUNDS);
}

static void its_irq_form_gives_back_the_flags_it_found(void **state)
{
    (void)state;
    counter = 0;
    run_on_all_cpus(count_under_spinlock_irq);
    assert_int_equal(counter, CPUS * ROUNDS);

    irqs_off = true;
    spinlock_release_irq(&lock, spinlock_acquire_irq(&lock));
    assert_true(irqs_off);
    irqs_off = false;
}

/* --- A lock that is certainly held when the other CPU requests it. --- */

static bool entered;

static void *enter_spinlock(void *argument)
{
    (void)argument;
    spinlock_acquire(&lock);
    __atomic_store_n(&entered, true, __ATOMIC_RELEASE);
    spinlock_release(&lock);
    return NULL;
}

static void *enter_kernel_lock(void *argument)
{
    (void)argument;
    cpu = 1;
    lock_kernel();
    assert(kernel_flag == 1);
    __atomic_store_n(&entered, true, __ATOMIC_RELEASE);
    unlock_kernel();
    return NULL;
}

/* The other CPU must be seen waiting outside. */
static pthread_t start_and_see_waiting(void *(*enter)(void *))
{
    pthread_t other;

    waits = 0;
    entered = false;
    assert_int_equal(pthread_create(&other, NULL, enter, NULL), 0);
    while (__atomic_load_n(&waits, __ATOMIC_ACQUIRE) < PATIENCE &&
           !__atomic_load_n(&entered, __ATOMIC_ACQUIRE))
        sched_yield();
    assert_false(__atomic_load_n(&entered, __ATOMIC_ACQUIRE));
    return other;
}

static void join_and_see_it_was_inside(pthread_t other)
{
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_true(entered);
}

static void who_draws_the_first_ticket_after_the_last_waits(void **state)
{
    (void)state;
    lock = (struct spinlock){.next = UINT32_MAX, .serving = UINT32_MAX};
    spinlock_acquire(&lock);
    pthread_t other = start_and_see_waiting(enter_spinlock);
    spinlock_release(&lock);
    join_and_see_it_was_inside(other);
}

static void who_waited_for_the_kernel_lock_has_it_afterwards(void **state)
{
    (void)state;
    lock_kernel();
    pthread_t other = start_and_see_waiting(enter_kernel_lock);
    unlock_kernel();
    join_and_see_it_was_inside(other);
    assert_int_equal(kernel_flag, 0);
}

static void the_kernel_lock_keeps_the_other_cpu_out_at_any_depth(void **state)
{
    (void)state;
    counter = 0;
    run_on_all_cpus(count_under_kernel_lock);
    assert_int_equal(counter, CPUS * ROUNDS);
    assert_int_equal(kernel_flag, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spinlock_keeps_the_other_cpu_out),
        cmocka_unit_test(its_irq_form_gives_back_the_flags_it_found),
        cmocka_unit_test(who_draws_the_first_ticket_after_the_last_waits),
        cmocka_unit_test(who_waited_for_the_kernel_lock_has_it_afterwards),
        cmocka_unit_test(the_kernel_lock_keeps_the_other_cpu_out_at_any_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

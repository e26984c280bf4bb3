/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See timer.h. One list per CPU, sorted by time: timer_start walks it, the tick checks only its
 * head. docs/kernel.md says when that would be too slow.
 */
#include "kernel/time/timer.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "core/lib/assert.h"
#include "core/pitot.h"
#include "kernel/lock/spinlock.h"

PITOT_TRACEPOINT(timer, timer_expire_entry, 2, PITOT_FIELD(pointer, timer, "timer=%p"),
                 PITOT_FIELD(function, function, " function=%ps"));

static struct timers {
    struct spinlock lock;  /* covers the list and its timers; also taken in interrupts */
    struct timer *first;   /* sorted by due_ns */
    struct timer *running; /* its function is being called, without the lock */
} lists[ARCH_CPUS_MAX] = {[0 ... ARCH_CPUS_MAX - 1] = {.lock.name = "timers"}};

/* Inserts the timer after those that are due at the same time. Under the lock. */
static void timers_insert(struct timers *list, struct timer *timer)
{
    struct timer **link = &list->first;

    while (*link && (*link)->due_ns <= timer->due_ns)
        link = &(*link)->next;
    timer->next = *link;
    timer->waits = true;
    *link = timer;
}

void timer_start(struct timer *timer, uint64_t delay_ns, uint64_t period_ns)
{
    uint64_t flags = arch_irq_save(); /* from here on we stay on this CPU */
    struct timers *list = &lists[arch_cpu_id()];

    spinlock_acquire(&list->lock);
    assert(!timer->waits);
    timer->cpu = arch_cpu_id();
    timer->due_ns = arch_clock_ns() + delay_ns;
    timer->period_ns = period_ns;
    timers_insert(list, timer);
    spinlock_release_irq(&list->lock, flags);
}

/* Under the lock. */
static bool timers_remove(struct timers *list, struct timer *timer)
{
    struct timer **link = &list->first;

    if (!timer->waits)
        return false;
    while (*link != timer)
        link = &(*link)->next;
    *link = timer->next;
    timer->waits = false;
    return true;
}

/*
 * Sets the period to 0 so that timers_run does not insert a periodic timer again after its function
 * has cancelled it.
 */
bool timer_cancel(struct timer *timer)
{
    struct timers *list = &lists[timer->cpu];
    uint64_t flags = spinlock_acquire_irq(&list->lock);
    bool waited = timers_remove(list, timer);

    timer->period_ns = 0;
    spinlock_release_irq(&list->lock, flags);
    while (timer->cpu != arch_cpu_id() &&
           __atomic_load_n(&list->running, __ATOMIC_ACQUIRE) == timer)
        arch_relax();
    return waited;
}

/* Takes the first timer if it is due; it then counts as running. Under the lock. */
static struct timer *timers_take_due(struct timers *list, uint64_t now)
{
    struct timer *timer = list->first;

    if (!timer || timer->due_ns > now)
        return NULL;
    timers_remove(list, timer);
    list->running = timer;
    return timer;
}

static uint64_t next_period(const struct timer *timer, uint64_t now)
{
    uint64_t missed = (now - timer->due_ns) / timer->period_ns;

    return timer->due_ns + (missed + 1) * timer->period_ns;
}

/* Called without the lock, so that the function may start and cancel timers. */
static void timer_expire(struct timer *timer)
{
    PITOT_TRACE(timer_expire_entry, timer, timer->function);
    timer->function(timer->data);
}

/* Reads the period before the call: a one-shot timer may be on a stack that its function frees. */
void timers_run(void)
{
    struct timers *list = &lists[arch_cpu_id()];
    uint64_t now = arch_clock_ns();
    struct timer *timer;

    spinlock_acquire(&list->lock);
    while ((timer = timers_take_due(list, now))) {
        bool periodic = timer->period_ns != 0;

        spinlock_release(&list->lock);
        timer_expire(timer);
        spinlock_acquire(&list->lock);
        if (periodic && timer->period_ns != 0 && !timer->waits) {
            timer->due_ns = next_period(timer, now);
            timers_insert(list, timer);
        }
        __atomic_store_n(&list->running, NULL, __ATOMIC_RELEASE); /* timer_cancel waits for it */
    }
    spinlock_release(&list->lock);
}

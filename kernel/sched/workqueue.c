/* SPDX-License-Identifier: BSD-2-Clause */
/* See workqueue.h. */
#include "kernel/sched/workqueue.h"

#include <stddef.h>

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"

PITOT_TRACEPOINT(workqueue, workqueue_execution, 3, PITOT_FIELD(text, thread_comm, "thread=%s"),
                 PITOT_FIELD(s32, thread_pid, ":%d"), PITOT_FIELD(function, func, " func=%ps"));

static struct workqueue {
    struct thread *worker; /* constant after boot */

    struct wait_queue arrivals; /* the worker sleeps here; its lock covers: */
    struct work *first, *last;
    uint64_t queued; /* total; a flush waits until `done` has reached it */

    struct wait_queue finished; /* flushers sleep here; its lock covers: */
    uint64_t done;              /* total */
} queues[ARCH_CPUS_MAX];

bool work_queue(struct work *work)
{
    uint64_t irq = arch_irq_save(); /* the CPU cannot change from here on */
    struct workqueue *queue = &queues[arch_cpu_id()];
    uint64_t flags = wait_queue_lock(&queue->arrivals);
    /* Another CPU may have queued the work, under that CPU's lock. W, with workqueue_take. */
    bool fresh = !__atomic_exchange_n(&work->queued, true, __ATOMIC_ACQUIRE);

    if (fresh) {
        work->next = NULL;
        if (queue->first)
            queue->last->next = work;
        else
            queue->first = work;
        queue->last = work;
        queue->queued++;
        wait_queue_wake_one_locked(&queue->arrivals);
    }
    wait_queue_unlock(&queue->arrivals, flags);
    arch_irq_restore(irq);
    return fresh;
}

/* Sleeps until there is work, and takes it; the work may then be queued again. */
static struct work *workqueue_take(struct workqueue *queue)
{
    uint64_t flags = wait_queue_lock(&queue->arrivals);
    struct work *work;

    while (!queue->first)
        flags = wait_queue_sleep(&queue->arrivals, flags);
    work = queue->first;
    queue->first = work->next;
    __atomic_store_n(&work->queued, false, __ATOMIC_RELEASE); /* W: after it has left the list */
    wait_queue_unlock(&queue->arrivals, flags);
    return work;
}

/* Must not use `work` after its function has returned: the function may have freed it. */
static void work_execute(struct work *work)
{
    PITOT_TRACE(workqueue_execution, thread_current()->name, thread_current()->pid, work->function);
    work->function(work);
}

static void workqueue_work(void *data)
{
    struct workqueue *queue = data;

    for (;;) {
        uint64_t flags;

        work_execute(workqueue_take(queue));
        flags = wait_queue_lock(&queue->finished);
        queue->done++;
        wait_queue_wake_all_locked(&queue->finished);
        wait_queue_unlock(&queue->finished, flags);
    }
}

static void workqueue_flush(struct workqueue *queue)
{
    uint64_t flags = wait_queue_lock(&queue->arrivals), until = queue->queued;

    wait_queue_unlock(&queue->arrivals, flags);
    assert(thread_current() != queue->worker);
    flags = wait_queue_lock(&queue->finished);
    while (queue->done < until)
        flags = wait_queue_sleep(&queue->finished, flags);
    wait_queue_unlock(&queue->finished, flags);
}

void work_flush(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (queues[cpu].worker)
            workqueue_flush(&queues[cpu]);
}

static void workqueue_make(unsigned cpu)
{
    struct workqueue *queue = &queues[cpu];
    char name[PITOT_NAME_SIZE];
    struct refusal why;

    queue->arrivals = (struct wait_queue)WAIT_QUEUE("work");
    queue->finished = (struct wait_queue)WAIT_QUEUE("work_done");
    print_into(name, sizeof(name), "kworker/%u", cpu);
    queue->worker = thread_create_on(cpu, name, workqueue_work, queue, &why);
    if (!queue->worker)
        panic("%s", why.text);
}

/* Waits until the worker first sleeps, so that it does not delay the boot. */
static void workqueue_await(const struct workqueue *queue)
{
    for (;;) {
        thread_yield(); /* for a worker on this CPU */
        if (__atomic_load_n(&queue->worker->state, __ATOMIC_ACQUIRE) == THREAD_SLEEPING)
            return;
        arch_relax(); /* for a worker on another CPU */
    }
}

void workqueue_init(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            workqueue_make(cpu);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (queues[cpu].worker)
            workqueue_await(&queues[cpu]);
}

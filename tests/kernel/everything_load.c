/* SPDX-License-Identifier: BSD-2-Clause */
/* See everything_load.h. */
#include "tests/kernel/everything_load.h"

#include "core/recording/recording.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/sched/workqueue.h"
#include "kernel/time/timer.h"
#include "kernel/user/process.h"

#define MS         1000000ull
#define ROUNDS_MIN 8
#define ORDERS     4

PITOT_TRACEPOINT(suite, everything_outer, 1, PITOT_FIELD(u64, round, "round=%lu"));
PITOT_TRACEPOINT(suite, everything_inner, 1, PITOT_FIELD(u64, round, "round=%lu"));

static uint64_t until_ns, until_bytes; /* set before the threads are created */

static bool load_has_time(void)
{
    const struct ring *ring = recording_ring(0);

    return arch_clock_ns() < until_ns && publish_load(&ring->published) < until_bytes;
}

static bool load_goes_on(uint64_t rounds)
{
    return rounds < ROUNDS_MIN || load_has_time();
}

/* Sometimes loses the CPU while it holds the lock, so that the other thread has to wait. */
static void load_locks(void *unused)
{
    uint64_t rounds = 0;

    (void)unused;
    do {
        lock_kernel();
        lock_kernel();
        unlock_kernel();
        if (rounds % 4 == 0)
            thread_yield();
        unlock_kernel();
    } while (load_goes_on(++rounds));
}

static void load_pages(void *unused)
{
    uint64_t rounds = 0;

    (void)unused;
    do {
        void *block[ORDERS];

        PITOT_TRACE(everything_outer, rounds);
        for (unsigned order = 0; order < ORDERS; order++)
            block[order] = pages_alloc(order);
        PITOT_TRACE(everything_inner, rounds);
        for (unsigned order = 0; order < ORDERS; order++)
            if (block[order])
                pages_free(block[order], order);
    } while (load_goes_on(++rounds));
}

static struct wait_queue arrivals = WAIT_QUEUE("load_work");
static uint64_t arrived; /* protected by the lock of `arrivals` */

static void load_arrive(struct work *work)
{
    uint64_t flags = wait_queue_lock(&arrivals);

    (void)work;
    arrived++;
    wait_queue_wake_all_locked(&arrivals);
    wait_queue_unlock(&arrivals, flags);
}

static void load_queue(void *work)
{
    work_queue(work);
}

/* The timer queues work, the worker wakes this thread. */
static void load_time(void *unused)
{
    static struct work work = {.function = load_arrive};
    struct timer beat = {.function = load_queue, .data = &work};
    uint64_t rounds = 0;

    (void)unused;
    timer_start(&beat, 0, 10 * MS);
    do {
        uint64_t flags = wait_queue_lock(&arrivals);

        for (uint64_t seen = arrived; arrived == seen;)
            flags = wait_queue_sleep(&arrivals, flags);
        wait_queue_unlock(&arrivals, flags);
    } while (load_goes_on(++rounds));
    timer_cancel(&beat);
    work_flush();
}

/* Starts a thread without which the suite cannot continue. */
static struct thread *load_start(const char *name, void (*function)(void *))
{
    struct refusal why;
    struct thread *thread = thread_create(name, function, NULL, &why);

    if (!thread)
        panic("%s", why.text);
    return thread;
}

static void load_nothing(void *unused)
{
    (void)unused;
}

static void load_births(void *unused)
{
    uint64_t rounds = 0;

    (void)unused;
    do
        thread_join(load_start("short", load_nothing));
    while (load_goes_on(++rounds));
}

/*
 * A program and its children make all system calls, except the end of exit; the program is run
 * again while there is time. Its lines on the console are not KTAP.
 */
static void load_programs(void *unused)
{
    static char path[] = "/bin/calls";
    char *argv[] = {path};
    struct process *program;
    struct refusal why;

    (void)unused;
    do {
        if (process_spawn(path, 1, argv, NULL, &program, &why))
            panic("%s", why.text);
        process_wait(program);
    } while (load_has_time());
}

void everything_load(uint64_t nanoseconds, uint64_t bytes)
{
    static void (*const parts[])(void *) = {load_locks, load_locks,  load_pages,
                                            load_time,  load_births, load_programs};
    struct thread *threads[sizeof(parts) / sizeof(parts[0])];

    until_ns = arch_clock_ns() + nanoseconds;
    until_bytes = bytes;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        threads[i] = load_start("load", parts[i]);
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        thread_join(threads[i]);
}

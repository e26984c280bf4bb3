/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nanoseconds per event. One round takes every writer in turn, some 20 microseconds each, so that a
 * slow spell of the machine slows all of them; results are the minimum and the median of many
 * rounds. With two threads, each has its own ring and CPU, they start together, and a round's
 * figure is the mean of both.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/ring/measure.h"

#define ROUNDS   400
#define BATCH_NS 20000.0
#define TRIAL    200

static struct threads {
    unsigned count;
    unsigned batch[WRITERS_MOST]; /* events */
    unsigned payload;
    unsigned arrived; /* by __atomic; only grows */
    double ns[THREADS_MOST][WRITERS_MOST][ROUNDS];
} threads;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double time_batch(const struct writer *writer, struct side *side, unsigned events)
{
    uint64_t start = now_ns();

    writer->burst(side, events);
    return (double)(now_ns() - start) / events;
}

/* Returns once all threads have called it as often as this one: `turn` times. */
static void begin_together(unsigned turn)
{
    __atomic_fetch_add(&threads.arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&threads.arrived, __ATOMIC_ACQUIRE) < turn * threads.count)
        __builtin_ia32_pause();
}

void stay_on_cpu(unsigned index)
{
    cpu_set_t usable, one;

    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof(usable), &usable);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable) && index-- == 0)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

unsigned cpus_usable(void)
{
    cpu_set_t usable;

    return sched_getaffinity(0, sizeof(usable), &usable) ? 1 : (unsigned)CPU_COUNT(&usable);
}

static void *run_thread(void *argument)
{
    unsigned index = (unsigned)(uintptr_t)argument, turn = 0;
    static struct side sides[THREADS_MOST][WRITERS_MOST];
    struct side *side = sides[index];

    stay_on_cpu(index);
    for (size_t i = 0; i < writer_count; i++) {
        if (!writer_writes(writers[i], threads.payload))
            continue;
        if (!side_open(&side[i], writers[i], threads.payload))
            exit(1); /* the other thread would wait for ever */
        writers[i]->burst(&side[i], 3 * RING_BYTES / EVENT_SIZE(threads.payload));
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < writer_count; i++) {
            if (!writer_writes(writers[i], threads.payload))
                continue;
            begin_together(++turn);
            threads.ns[index][i][round] = time_batch(writers[i], &side[i], threads.batch[i]);
        }
    for (size_t i = 0; i < writer_count; i++)
        if (writer_writes(writers[i], threads.payload))
            writers[i]->close(&side[i]);
    return NULL;
}

static void run_threads(void)
{
    pthread_t others[THREADS_MOST];
    unsigned i;

    for (i = 0; i < threads.count; i++)
        if (pthread_create(&others[i], NULL, run_thread, (void *)(uintptr_t)i)) {
            fprintf(stderr, "no thread can be started\n");
            exit(1);
        }
    for (i = 0; i < threads.count; i++)
        pthread_join(others[i], NULL);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Chooses as many events as make a batch of about BATCH_NS. */
static bool choose_batches(unsigned payload)
{
    static struct side side;

    for (size_t i = 0; i < writer_count; i++) {
        if (!writer_writes(writers[i], payload))
            continue;
        if (!side_open(&side, writers[i], payload))
            return false;
        time_batch(writers[i], &side, TRIAL);
        threads.batch[i] = 1 + (unsigned)(BATCH_NS / time_batch(writers[i], &side, TRIAL));
        writers[i]->close(&side);
    }
    return true;
}

bool time_writers(struct figures *figures, unsigned payload_index, unsigned count)
{
    threads.count = count;
    threads.payload = payloads[payload_index];
    threads.arrived = 0;
    if (!choose_batches(threads.payload))
        return false;
    run_threads();
    for (size_t i = 0; i < writer_count; i++) {
        double *samples = threads.ns[0][i];

        for (unsigned round = 0; round < ROUNDS && count == 2; round++)
            samples[round] = (samples[round] + threads.ns[1][i][round]) / 2;
        qsort(samples, ROUNDS, sizeof(*samples), compare);
        figures[i].least[count - 1][payload_index] = samples[0];
        figures[i].median[count - 1][payload_index] = samples[ROUNDS / 2];
    }
    return true;
}

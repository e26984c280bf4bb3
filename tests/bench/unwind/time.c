/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nanoseconds per unwind. One round takes every method in turn, a few microseconds each, so that a
 * slow spell of the machine slows all of them; results are the minimum and the median of many
 * rounds. An lfence after each unwind keeps it from overlapping the next.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "tests/bench/unwind/measure.h"

#define ROUNDS         400
#define BATCH_NS       20000.0
#define REPEATS_MOST   1000
#define ADDRESSES_MOST (CHAIN_FRAMES + 16)

/* Twice the size of the second-level cache on the development machine. */
#define SWEEP_SIZE (4u << 20)
#define LINE_SIZE  64

/* One batch and its time. */
struct batch {
    const struct method *method;
    unsigned repeats;
    bool cold;
    double ns; /* per unwind */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sweep(void)
{
    static volatile char memory[SWEEP_SIZE];

    for (size_t i = 0; i < sizeof(memory); i += LINE_SIZE)
        memory[i]++;
    _mm_mfence();
}

static void batch_work(struct chain *chain, const struct regs *regs)
{
    struct batch *batch = chain->context;
    uint64_t addresses[ADDRESSES_MOST];
    uint64_t start;

    batch->method->capture(regs, addresses, ADDRESSES_MOST);
    if (batch->cold)
        sweep();
    _mm_lfence();
    start = now_ns();
    for (unsigned i = 0; i < batch->repeats; i++) {
        batch->method->capture(regs, addresses, ADDRESSES_MOST);
        _mm_lfence();
    }
    batch->ns = (double)(now_ns() - start) / batch->repeats;
}

static double time_batch(struct batch *batch, unsigned depth)
{
    struct chain chain = {.work = batch_work, .context = batch};

    batch->method->run(&chain, depth);
    return batch->ns;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The number of unwinds for a batch of about BATCH_NS. */
static unsigned repeats_for(const struct method *method, unsigned depth)
{
    struct batch trial = {.method = method, .repeats = 4};
    double fit = BATCH_NS / time_batch(&trial, depth);

    return fit < 1 ? 1 : fit > REPEATS_MOST ? REPEATS_MOST : (unsigned)fit;
}

/* ROUNDS samples of each method, sorted; NULL: out of memory. */
static double *time_rounds(unsigned depth, bool cold)
{
    double *samples = calloc(method_count * ROUNDS, sizeof(*samples));
    struct batch *batches = calloc(method_count, sizeof(*batches));

    for (size_t i = 0; samples && batches && i < method_count; i++)
        if (!methods[i]->missing)
            batches[i] = (struct batch){.method = methods[i],
                                        .repeats = cold ? 1 : repeats_for(methods[i], depth),
                                        .cold = cold};
    for (unsigned round = 0; samples && batches && round < ROUNDS; round++)
        for (size_t i = 0; i < method_count; i++)
            if (!methods[i]->missing)
                samples[i * ROUNDS + round] = time_batch(&batches[i], depth);
    for (size_t i = 0; samples && i < method_count; i++)
        qsort(samples + i * ROUNDS, ROUNDS, sizeof(*samples), compare);
    free(batches);
    return samples;
}

bool time_methods(struct figures *figures, unsigned depth_index)
{
    double *samples = time_rounds(depths[depth_index], false);

    for (size_t i = 0; samples && i < method_count; i++) {
        figures[i].least[depth_index] = samples[i * ROUNDS];
        figures[i].median[depth_index] = samples[i * ROUNDS + ROUNDS / 2];
    }
    free(samples);
    return samples != NULL;
}

bool time_cold(struct figures *figures)
{
    double *samples = time_rounds(depths[DEPTH_16], true);

    for (size_t i = 0; samples && i < method_count; i++)
        figures[i].cold = samples[i * ROUNDS + ROUNDS / 2];
    free(samples);
    return samples != NULL;
}

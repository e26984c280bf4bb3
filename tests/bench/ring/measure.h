/* SPDX-License-Identifier: BSD-2-Clause */
/* What is measured of each writer (writers.h), for each payload and number of threads. */
#pragma once

#include "tests/bench/ring/writers.h"

#define PAYLOADS     4
#define THREADS_MOST 2
#define WRITERS_MOST 24
extern const unsigned payloads[PAYLOADS];

struct figures {
    double least[THREADS_MOST][PAYLOADS];  /* ns per event */
    double median[THREADS_MOST][PAYLOADS]; /* ns per event */
    double instructions[PAYLOADS];         /* per event */
};

extern const struct writer *const writers[];
extern const size_t writer_count;

/* Why it is not measured; NULL: it is measured. */
const char *writer_missing(const struct writer *writer);

/* True if it is measured with events of that payload. */
bool writer_writes(const struct writer *writer, unsigned payload);

/* Opens an empty ring for events of that payload; false, after a message: out of memory. */
bool side_open(struct side *side, const struct writer *writer, unsigned payload);

/* check.c: false, after a message, if a ring does not hold the newest events. */
bool check_writer(const struct writer *writer, unsigned payload);

/* steps.c: executed per event. */
double count_instructions(const struct writer *writer, unsigned payload);

/*
 * rounds.c: all writers in turn, round after round, on this many threads at a time. False, after a
 * message: out of memory.
 */
bool time_writers(struct figures *figures, unsigned payload_index, unsigned threads);

/* How many CPUs this thread may run on; then, keeps it on one of them, counted from 0. */
unsigned cpus_usable(void);
void stay_on_cpu(unsigned index);

/* targets.c: a line for each clock, comparing a sample with an event of the same size. */
void print_sample_instructions(const struct figures *figures);

/* targets.c: the targets, the results, and whether they are met. */
void print_targets(const struct figures *figures, unsigned threads);

/* The floor that copies like the kernel; and the ring's own writer of prepared events. */
const struct figures *floor_of(const struct figures *figures, bool clock);
const struct figures *output_of(const struct figures *figures, bool clock);

const struct figures *figures_of(const struct figures *figures, const struct writer *writer);

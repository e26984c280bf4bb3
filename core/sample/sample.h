/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes hits into the ring as PERF_RECORD_SAMPLE, in the layout of <linux/perf_event.h> (the
 * comment above PERF_RECORD_SAMPLE). Any context of this CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"
#include "core/unwind/unwind.h"

struct perf_event_attr;
struct perf_event_header;
struct trace_hit;
struct tracepoint;

#define SAMPLE_CHAIN_MAX 127  /* frames; Linux's default */
#define SAMPLE_SIZE_MAX  2048 /* bytes; no record in the rings is larger */

/* Fields of every sample: omitting one would cost more instructions than storing it. */
#define SAMPLE_ALWAYS                                                                              \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU)

/* Fields that an event may add. */
#define SAMPLE_OPTIONAL                                                                            \
    (PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_INTR)

/*
 * Number of samples with a chain being made on each CPU; selects the scratch memory. Counted
 * separately from the ring's nesting, which begins only at the claim. [owning CPU]
 */
extern uint64_t sample_under_way[];

/* How to make an event's call chains, if attr.sample_type requests them. */
struct sample_chain {
    enum unwind_method method;
    unsigned skip; /* take the sample at the caller this many frames up; 0: at the hit */
    bool verify;   /* make every chain by both methods (core/unwind/verify.h) */
};

struct sample_plan;

/*
 * Writes the sample of a hit at address `addr` with these registers, by the thread `ids`. The
 * sample represents `period`.
 */
typedef void sample_writer(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                           const struct regs *regs, uint64_t ids, uint64_t period);

/* The same for a tracepoint hit. */
typedef void sample_traced_writer(const struct sample_plan *plan, struct ring *ring,
                                  struct trace_hit *traced, uint64_t addr, uint64_t period);

typedef void sample_taken(const struct sample_plan *plan);

/*
 * The contents of an event's samples. Made with the event and constant while the event is enabled,
 * so that a hit computes nothing that is known in advance: the writers do exactly what this plan's
 * samples need.
 */
struct sample_plan {
    /* Read by the most common samples; events keep these fields in one cache line. */
    sample_writer *write;
    sample_traced_writer *write_traced;
    uint64_t id;                      /* value of IDENTIFIER */
    uint64_t bytes;                   /* size of a sample, without its call chain */
    unwind_capture_function *capture; /* makes chains by chain.method */

    uint64_t type;      /* PERF_SAMPLE_ bits: SAMPLE_ALWAYS, and some of SAMPLE_OPTIONAL */
    uint64_t registers; /* of REGS_INTR, as bits of attr.sample_regs_intr */
    struct sample_chain chain;
    sample_taken *taken;                 /* called after each sample; NULL: no callback */
    const struct tracepoint *tracepoint; /* the source of the hits; NULL: not a tracepoint */
};

/*
 * Makes a plan without a callback. `tracepoint` is the source of the hits; NULL: not a tracepoint.
 */
struct sample_plan sample_plan_make(uint64_t id, const struct perf_event_attr *attr,
                                    const struct sample_chain *chain,
                                    const struct tracepoint *tracepoint);

/*
 * Sets the function called after each sample; NULL: none. Not allowed while the event takes
 * samples.
 */
void sample_plan_call(struct sample_plan *plan, sample_taken *taken);

static inline void sample_take(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                               const struct regs *regs, uint64_t ids, uint64_t period)
{
    plan->write(plan, ring, addr, regs, ids, period);
}

static inline void sample_take_traced(const struct sample_plan *plan, struct ring *ring,
                                      struct trace_hit *traced, uint64_t addr, uint64_t period)
{
    plan->write_traced(plan, ring, traced, addr, period);
}

/* The time of a record in the rings, of any type. */
uint64_t sample_time(const struct perf_event_header *header);

/* PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE. */
void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type);

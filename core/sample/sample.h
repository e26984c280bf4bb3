/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hit becomes a PERF_RECORD_SAMPLE in the ring, in the layout of <linux/perf_event.h> (the
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

#define SAMPLE_CHAIN_MAX 127  /* frames; as many as Linux takes by default */
#define SAMPLE_SIZE_MAX  2048 /* bytes; no record in the rings is larger */

/* What every sample carries: to leave one out would cost more instructions than to store it. */
#define SAMPLE_ALWAYS                                                                              \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU)

/* What an event may ask for besides. */
#define SAMPLE_OPTIONAL                                                                            \
    (PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_INTR)

/*
 * How many samples with a chain are being made on each CPU. Counted apart from the ring's own
 * nesting, which begins only at the claim. Selects the scratch memory. [owning CPU]
 */
extern uint64_t sample_under_way[];

/* How an event's call chains are made, where attr.sample_type asks for them. */
struct sample_chain {
    enum unwind_method method;
    unsigned skip; /* the sample is taken at the caller this many frames up; 0: where the hit was */
    bool verify;   /* make every chain both ways (core/unwind/verify.h) */
};

struct sample_plan;

/*
 * Writes the sample of a hit with these registers, at address `addr`, by this thread. It stands for
 * `period`.
 */
typedef void sample_writer(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                           const struct regs *regs, uint64_t ids, uint64_t period);

/* The same for a hit of a tracepoint. */
typedef void sample_traced_writer(const struct sample_plan *plan, struct ring *ring,
                                  struct trace_hit *traced, uint64_t addr, uint64_t period);

typedef void sample_taken(const struct sample_plan *plan);

/*
 * What an event's samples contain. Made with the event, constant while the event is enabled, so
 * that a hit asks for nothing that is known then: the writers are those that do exactly what this
 * plan's samples need.
 */
struct sample_plan {
    /* What the samples that are taken most read; events keep it in one cache line. */
    sample_writer *write;
    sample_traced_writer *write_traced;
    uint64_t id;                      /* what IDENTIFIER carries */
    uint64_t bytes;                   /* size of a sample, without its call chain */
    unwind_capture_function *capture; /* makes chains by chain.method */

    uint64_t type;      /* PERF_SAMPLE_ bits: SAMPLE_ALWAYS, and some of SAMPLE_OPTIONAL */
    uint64_t registers; /* of REGS_INTR, as bits of attr.sample_regs_intr */
    struct sample_chain chain;
    sample_taken *taken;                 /* called after each sample; NULL: no callback */
    const struct tracepoint *tracepoint; /* that these hits are of; NULL: of none */
};

/* A plan without a callback, for hits of that tracepoint; NULL: of no tracepoint. */
struct sample_plan sample_plan_make(uint64_t id, const struct perf_event_attr *attr,
                                    const struct sample_chain *chain,
                                    const struct tracepoint *tracepoint);

/* From here on each sample calls that function; NULL: none. Not while the event takes samples. */
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

/* The time in a record of the rings, of any type. */
uint64_t sample_time(const struct perf_event_header *header);

/* PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE. */
void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type);

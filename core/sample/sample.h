/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes hits into the ring as PERF_RECORD_SAMPLE (<linux/perf_event.h>). Any context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/unwind/unwind.h"

struct trace_hit;
struct pitot_tracepoint;

#define SAMPLE_CHAIN_MAX 127  /* frames; Linux's default */
#define SAMPLE_SIZE_MAX  2048 /* bytes; no record in the rings is larger */

/*
 * Number of chain samples in progress on each CPU; it selects the scratch memory. The ring's own
 * nesting count cannot, because it begins only at the claim. [owning CPU]
 */
extern uint64_t sample_under_way[];

/* How to make an event's call chains, if attr.sample_type requests them. */
struct sample_chain {
    enum unwind_method method;
    unsigned skip; /* take the sample this many callers up; 0: at the hit */
    bool verify;   /* make every chain by both methods (core/unwind/verify.c) */
};

struct sample_plan;

/* Writes the sample of a hit of address `addr` by the thread `ids`. */
typedef void sample_writer(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                           const struct regs *regs, uint64_t ids, uint64_t period);

typedef void sample_traced_writer(const struct sample_plan *plan, struct ring *ring,
                                  struct trace_hit *traced, uint64_t addr, uint64_t period);

typedef void sample_taken(const struct sample_plan *plan);

/*
 * The contents of an event's samples. Constant while the event is enabled, so that a hit computes
 * nothing that is known in advance: its writers omit what the samples do not contain.
 */
struct sample_plan {
    /* Read by the most common samples; in one cache line of the event. */
    sample_writer *write;
    sample_traced_writer *write_traced;
    uint64_t id;                      /* value of IDENTIFIER */
    uint64_t bytes;                   /* size of a sample, without its call chain */
    unwind_capture_function *capture; /* makes chains by chain.method */

    uint64_t type;      /* PERF_SAMPLE_ bits: SAMPLE_ALWAYS, and some of SAMPLE_OPTIONAL */
    uint64_t registers; /* registers in REGS_INTR, as bits of attr.sample_regs_intr */
    struct sample_chain chain;
    sample_taken *taken;                       /* called after each sample; NULL: no callback */
    const struct pitot_tracepoint *tracepoint; /* the source of the hits; NULL: not a tracepoint */
};

struct sample_plan sample_plan_make(uint64_t id, const struct perf_event_attr *attr,
                                    const struct sample_chain *chain,
                                    const struct pitot_tracepoint *tracepoint);

/* Sets plan->taken. The event must not be taking samples. */
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

/*
 * Writes the sample of a state that traced->cpu is in, into that CPU's ring. Its chain does not
 * reach into a program. All CPUs parked, interrupts off.
 */
void sample_take_state(const struct sample_plan *plan, struct ring *ring, struct trace_hit *traced);

/* Writes a record of `type`, PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE. */
void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type);

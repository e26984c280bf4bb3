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
 * How many samples are being made on each CPU. Counted apart from the ring's own nesting, which
 * begins only at the claim. Selects the scratch memory. [owning CPU]
 */
extern uint64_t sample_under_way[];

/* How an event's call chains are made, where attr.sample_type asks for them. */
struct sample_chain {
    enum unwind_method method;
    unsigned skip; /* the sample is taken at the caller this many frames up; 0: where the hit was */
    bool verify;   /* make every chain both ways (core/unwind/verify.h) */
};

/* What an event's samples contain. Made with the event, constant while the event is enabled. */
struct sample_plan {
    uint64_t id;        /* what IDENTIFIER carries */
    uint64_t type;      /* PERF_SAMPLE_ bits: SAMPLE_ALWAYS, and some of SAMPLE_OPTIONAL */
    uint64_t bytes;     /* size of a sample, without its call chain and record */
    uint64_t registers; /* of REGS_INTR, as bits of attr.sample_regs_intr */
    struct sample_chain chain;
    void (*taken)(const struct sample_plan *plan); /* called after each sample; NULL: no callback */
};

/* A plan without a callback. */
struct sample_plan sample_plan_make(uint64_t id, const struct perf_event_attr *attr,
                                    const struct sample_chain *chain);

/*
 * Writes the sample of a hit with these registers, at address `addr`, by this thread. It stands for
 * `period`.
 */
void sample_write(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                  const struct regs *regs, uint64_t ids, uint64_t period);

/* The same for a hit of a tracepoint. */
void sample_write_traced(const struct sample_plan *plan, struct ring *ring,
                         struct trace_hit *traced, uint64_t addr, uint64_t period);

/* The time in a record of the rings, of any type. */
uint64_t sample_time(const struct perf_event_header *header);

/* PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE. */
void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type);

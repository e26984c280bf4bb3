/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores a sample's words right where they belong in the ring, inside its claim. Their number is
 * known beforehand, except for a call chain: the chain is walked first, in scratch memory of this
 * CPU and context level, so that inside the claim words are only copied.
 */
#include "core/sample/sample.h"

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/registers.h"
#include "arch/regs.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/ring/claim.h"
#include "core/tracepoint/tracepoint.h"
#include "core/unwind/caller.h"
#include "core/unwind/user.h"
#include "core/unwind/verify.h"

#define RAW_NOTHING   sizeof(uint32_t) /* bytes of the record if the source has none */
#define RAW_WORDS_MAX (TRACEPOINT_RECORD_MAX / 8 + 1)

/* struct perf_event_header, and the words that every sample has; the order is the ABI's. */
enum {
    WORD_HEADER,
    WORD_ID,
    WORD_IP,
    WORD_IDS,
    WORD_TIME,
    WORD_ADDR,
    WORD_CPU,
    WORDS_ALWAYS,
};

/*
 * Room for one record; its chain is made at its final place. Aligned to a power of two, so that an
 * address is found by shifts only.
 */
struct sample_scratch {
    _Alignas(SAMPLE_SIZE_MAX)
        uint64_t words[WORDS_ALWAYS + 7 + SAMPLE_CHAIN_MAX + RAW_WORDS_MAX + ARCH_SAMPLED_BITS];
};

_Static_assert(sizeof(struct sample_scratch) == SAMPLE_SIZE_MAX,
               "a record with everything in it fits");

/*
 * One for each nesting level, so that an inner context does not overwrite an outer one's. [owning
 * CPU]
 */
static struct sample_scratch scratch[ARCH_CPUS_MAX][RING_NESTING];

uint64_t sample_under_way[ARCH_CPUS_MAX];

/*
 * A snapshot does not have the general registers: they are stored as 0, while the ABI word says
 * that there are registers.
 */
__attribute__((noinline)) static uint64_t *sample_put_registers(uint64_t *at, uint64_t mask,
                                                                const struct regs *regs)
{
    *at++ = PERF_SAMPLE_REGS_ABI_64;
    for (; mask; mask &= mask - 1)
        *at++ =
            *(const uint64_t *)((const char *)regs + arch_sampled_places[__builtin_ctzll(mask)]);
    return at;
}

/* Stores the program's part of the chain, after its own mark. */
static uint64_t *sample_put_user_chain(uint64_t *at, const struct unwind_border *border,
                                       size_t most)
{
    *at = (uint64_t)PERF_CONTEXT_USER;
    return at + 1 + unwind_user_capture(border, at + 1, most);
}

/*
 * Stores the count; then, unless a program was hit, the kernel's part after its mark; then the part
 * of the program that entered the kernel.
 */
__attribute__((noinline)) static uint64_t *
sample_put_chain(uint64_t *at, const struct sample_chain *chain, const struct regs *regs)
{
    uint64_t *end = at + 1;
    struct unwind_border border;
    size_t frames =
        unwind_capture_border(chain->method, regs, chain->skip, at + 2, SAMPLE_CHAIN_MAX, &border);

    if (!regs_user_mode(regs)) {
        *end = (uint64_t)PERF_CONTEXT_KERNEL;
        end += 1 + frames;
        if (chain->verify)
            verify_chain(regs);
    }
    if (border.crossed)
        end = sample_put_user_chain(end, &border, SAMPLE_CHAIN_MAX - frames);
    *at = (uint64_t)(end - at - 1);
    return end;
}

/*
 * The size and the record together fill whole words and are made in place. If the source has no
 * record, the record is four bytes of 0.
 */
static uint64_t *sample_put_raw(uint64_t *at, struct trace_hit *traced, const struct regs *regs)
{
    if (!traced) {
        *at = RAW_NOTHING;
        return at + 1;
    }
    return tracepoint_record(traced, regs, (struct tracepoint_raw *)at);
}

/* What a sample is made from. */
struct hit {
    const struct regs *regs;
    const struct regs *of;    /* the same as `regs`, or the n-th caller's if the event skips
                               * frames */
    struct trace_hit *traced; /* the tracepoint's hit; NULL for other events */
    uint64_t addr;
    uint64_t ids;
    uint64_t period;
};

/* What is known of a sample before its place is claimed. */
struct sample {
    uint64_t bytes;
    const uint64_t *chain; /* the chain's count and entries; NULL: no chain */
};

/* Nested deeper than there is scratch memory: the ring counts a record of 0 bytes as dropped. */
#define SAMPLE_TOO_DEEP ((struct sample){0, NULL})

/* The scratch memory of the record that this context of this CPU is making. */
static struct sample_scratch *scratch_here(unsigned cpu)
{
    return &scratch[cpu][(local_load(&sample_under_way[cpu]) - 1) & (RING_NESTING - 1)];
}

/* Where the chain goes: after the words that come before it. */
static uint64_t *scratch_chain(struct sample_scratch *whole, const struct sample_plan *plan)
{
    uint64_t *behind = &whole->words[WORDS_ALWAYS];

    return plan->type & PERF_SAMPLE_PERIOD ? behind + 1 : behind;
}

/* Does what takes time, before the claim, and returns how large the sample will be. */
static inline struct sample sample_prepare(const struct sample_plan *plan, const struct hit *hit,
                                           unsigned cpu)
{
    uint64_t type = plan->type;
    struct sample sample = {plan->bytes, NULL};

    if (__builtin_expect(local_load(&sample_under_way[cpu]) > RING_NESTING, false))
        return SAMPLE_TOO_DEEP;
    if (type & PERF_SAMPLE_CALLCHAIN) {
        uint64_t *chain = scratch_chain(scratch_here(cpu), plan);

        sample_put_chain(chain, &plan->chain, hit->regs);
        sample.chain = chain;
        sample.bytes += (1 + chain[0]) * 8;
    }
    if (type & PERF_SAMPLE_RAW) {
        if (hit->traced)
            tracepoint_need_late(hit->traced);
        sample.bytes +=
            sizeof(uint32_t) + (hit->traced ? hit->traced->tracepoint->raw_size : RAW_NOTHING);
    }
    return sample;
}

/* The order is the ABI's, not that of the bits. */
static inline void sample_put_optional(uint64_t *at, const struct sample_plan *plan,
                                       const struct hit *hit, const uint64_t *chain)
{
    if (plan->type & PERF_SAMPLE_PERIOD)
        *at++ = hit->period;
    if (chain) {
        local_copy_words(at, chain, 1 + chain[0]);
        at += 1 + chain[0];
    }
    if (plan->type & PERF_SAMPLE_RAW)
        at = sample_put_raw(at, hit->traced, hit->regs);
    if (plan->type & PERF_SAMPLE_REGS_INTR)
        sample_put_registers(at, plan->registers, hit->of);
}

static inline uint64_t header_word(uint32_t type, uint16_t misc, uint64_t bytes)
{
    return bytes << 48 | (uint64_t)misc << 32 | type;
}

/*
 * Puts the words at their place in the ring, or into scratch memory if the sample crosses the
 * ring's end.
 */
static inline void sample_put(uint64_t *to, const struct sample_plan *plan, const struct hit *hit,
                              const struct sample *sample, unsigned cpu, uint64_t time)
{
    to[WORD_HEADER] = header_word(
        PERF_RECORD_SAMPLE,
        regs_user_mode(hit->of) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL, sample->bytes);
    to[WORD_ID] = plan->id;
    to[WORD_IP] = hit->of->ip;
    to[WORD_IDS] = hit->ids;
    to[WORD_TIME] = time;
    to[WORD_ADDR] = hit->addr;
    to[WORD_CPU] = cpu;
    if (plan->type & SAMPLE_OPTIONAL)
        sample_put_optional(to + WORDS_ALWAYS, plan, hit, sample->chain);
}

/*
 * For a sample that crosses the ring's end. The chain is already in the scratch memory. A sample
 * without optional parts may come from any depth, so it does not use scratch memory.
 */
__attribute__((noinline)) static void
sample_write_around(const struct sample_plan *plan, struct ring *ring,
                    const struct ring_record *record, const struct hit *hit, struct sample sample)
{
    unsigned cpu = arch_cpu_id();
    uint64_t least[WORDS_ALWAYS];
    uint64_t *whole = least;

    if (plan->type & SAMPLE_OPTIONAL)
        whole = scratch_here(cpu)->words;
    assert(sample.bytes <= (whole == least ? sizeof(least) : sizeof(struct sample_scratch)));
    sample_put(whole, plan, hit, &sample, cpu, record->time);
    ring_write_part(ring, record->offset, whole, sample.bytes);
}

/* `level` is ring->nest: see ring_reserve_at. */
__attribute__((always_inline)) static inline void sample_write_at(const struct sample_plan *plan,
                                                                  struct ring *ring, unsigned level,
                                                                  const struct hit hit)
{
    unsigned cpu = arch_cpu_id();
    struct sample sample = {WORDS_ALWAYS * 8, NULL};
    struct ring_record record;
    uint64_t time;

    local_increment(&sample_under_way[cpu]);
    if (plan->type & SAMPLE_OPTIONAL)
        sample = sample_prepare(plan, &hit, cpu);
    if (__builtin_expect(!ring_reserve_at(ring, level, sample.bytes, &record, &time), false)) {
        ring_commit_dropped(ring, level);
    } else {
        uint64_t start = record.offset & (ring->size - 1);

        publish_order_stores(); /* A: the tail was moved before these bytes change */
        if (__builtin_expect(sample.bytes > ring->size - start, false)) {
            const struct hit seen = hit; /* so that `hit` itself stays in registers */
            const struct ring_record place = {.offset = record.offset, .time = time};

            sample_write_around(plan, ring, &place, &seen, sample);
        } else {
            sample_put((uint64_t *)(ring->bytes + start), plan, &hit, &sample, cpu, time);
        }
        ring_commit_at(ring, level, false);
    }
    local_decrement(&sample_under_way[cpu]);
    if (__builtin_expect(plan->taken != NULL, false))
        plan->taken(plan);
}

/*
 * The rare cases: inside another record, or for the n-th caller; if there is no such caller, the
 * sample has no place.
 */
__attribute__((noinline)) static void sample_write_otherwise(const struct sample_plan *plan,
                                                             struct ring *ring, struct hit hit)
{
    struct regs caller;

    if (plan->chain.skip > 0) {
        caller_find(plan->chain.method, hit.regs, plan->chain.skip, &caller);
        hit.of = &caller;
    }
    sample_write_at(plan, ring, (unsigned)ring->nest, hit);
}

__attribute__((always_inline)) static inline void
sample_write_hit(const struct sample_plan *plan, struct ring *ring, const struct hit hit)
{
    if (__builtin_expect((ring->nest | plan->chain.skip) == 0, true))
        sample_write_at(plan, ring, 0, hit);
    else
        sample_write_otherwise(plan, ring, hit);
}

void sample_write(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                  const struct regs *regs, uint64_t ids, uint64_t period)
{
    sample_write_hit(plan, ring, (struct hit){regs, regs, NULL, addr, ids, period});
}

void sample_write_traced(const struct sample_plan *plan, struct ring *ring,
                         struct trace_hit *traced, uint64_t addr, uint64_t period)
{
    const struct regs *regs = trace_regs(traced);

    sample_write_hit(plan, ring, (struct hit){regs, regs, traced, addr, traced->ids, period});
}

/* The bytes of such an event's sample, without its call chain and record. */
static uint64_t sample_bytes(const struct perf_event_attr *attr)
{
    uint64_t words = WORDS_ALWAYS;

    if (attr->sample_type & PERF_SAMPLE_PERIOD)
        words++;
    if (!(attr->sample_type & PERF_SAMPLE_REGS_INTR))
        return words * 8;
    words++; /* PERF_SAMPLE_REGS_ABI_64 */
    for (uint64_t left = attr->sample_regs_intr; left; left &= left - 1)
        words++;
    return words * 8;
}

struct sample_plan sample_plan_make(uint64_t id, const struct perf_event_attr *attr,
                                    const struct sample_chain *chain)
{
    assert((attr->sample_type & SAMPLE_ALWAYS) == SAMPLE_ALWAYS); /* every sample has these */
    assert(!(attr->sample_type & ~(uint64_t)(SAMPLE_ALWAYS | SAMPLE_OPTIONAL)));
    assert(!(attr->sample_regs_intr & ~ARCH_SAMPLED));
    assert(chain->skip < SAMPLE_CHAIN_MAX);
    return (struct sample_plan){.id = id,
                                .type = attr->sample_type,
                                .bytes = sample_bytes(attr),
                                .registers = attr->sample_regs_intr,
                                .chain = *chain};
}

uint64_t sample_time(const struct perf_event_header *header)
{
    const uint64_t *words = (const uint64_t *)(header + 1);

    return words[header->type == PERF_RECORD_SAMPLE ? 3 : 4];
}

/*
 * struct { header; u64 time, id, stream_id; struct sample_id; }, the last by sample_id_all and
 * SAMPLE_ALWAYS.
 */
void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type)
{
    unsigned cpu = arch_cpu_id();
    uint64_t words[] = {
        header_word(type, 0, 64),
        arch_clock_ns(),
        plan->id,
        plan->id,
        task_current_ids(),
        0,
        cpu,
        plan->id,
    };

    local_increment(&sample_under_way[cpu]);
    ring_output(ring, words, sizeof(words), &words[5]);
    local_decrement(&sample_under_way[cpu]);
}

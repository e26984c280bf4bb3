/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See sample.h. A sample's words are stored directly in the ring, inside its claim. Their number is
 * known beforehand except for a call chain, which is first unwound into scratch memory of this CPU
 * and context level and then copied.
 */
#include "core/sample/sample.h"

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/regs.h"
#include "core/lib/assert.h"
#include "core/ring/claim.h"
#include "core/task.h"
#include "core/tracepoint/tracepoint.h"
#include "core/unwind/unwind.h"

#define RAW_NOTHING   sizeof(uint32_t) /* bytes of the raw record if the source has none */
#define RAW_WORDS_MAX (TRACEPOINT_RECORD_MAX / 8 + 1)

/* struct perf_event_header, and the words that every sample has; the order is the ABI's. */
enum { WORD_HEADER, WORD_ID, WORD_IP, WORD_IDS, WORD_TIME, WORD_ADDR, WORD_CPU, WORDS_ALWAYS };

/* The fixed words, period, raw record, ABI of the registers, registers. */
#define WORDS_WITHOUT_CHAIN (WORDS_ALWAYS + 1 + RAW_WORDS_MAX + 1 + ARCH_SAMPLED_BITS)
#define CHAIN_WORDS_MAX     (1 + 2 + SAMPLE_CHAIN_MAX) /* number of entries, two markers, frames */

/* Room for one record per context level; aligned, so that CPUs share no cache line. [owning CPU] */
_Alignas(SAMPLE_SIZE_MAX) static uint64_t
    scratch[ARCH_CPUS_MAX][RING_NESTING][SAMPLE_SIZE_MAX / sizeof(uint64_t)];

#define SCRATCH_CHAIN (WORDS_ALWAYS + 1) /* a chain lies as in a record with a period */

_Static_assert(WORDS_WITHOUT_CHAIN + CHAIN_WORDS_MAX <= SAMPLE_SIZE_MAX / sizeof(uint64_t),
               "a record with all parts fits");

uint64_t sample_under_way[ARCH_CPUS_MAX];

/* The general registers of a snapshot are 0, although the ABI word announces them. */
__attribute__((noinline)) static void sample_put_registers(uint64_t *at, uint64_t mask,
                                                           const struct regs *regs)
{
    *at++ = PERF_SAMPLE_REGS_ABI_64;
    for (; mask; mask &= mask - 1)
        *at++ =
            *(const uint64_t *)((const char *)regs + arch_sampled_places[__builtin_ctzll(mask)]);
}

/* Input of a sample. */
struct hit {
    const struct regs *regs;  /* NULL: use the tracepoint's place */
    struct trace_hit *traced; /* the tracepoint's hit; NULL for other events */
    uint64_t addr;
    uint64_t ids; /* unused with a tracepoint's hit, which has its own ids */
    uint64_t period;
};

/* Location of the hit, as the sample reports it. */
struct where {
    uint64_t ip, flags;
    bool user;
};

static inline struct where sample_where(const struct regs *regs, const struct trace_hit *traced)
{
    if (traced && !regs)
        return (struct where){.ip = traced->place->ip, .flags = traced->place->flags};
    return (struct where){.ip = regs->ip, .flags = regs->flags, .user = regs_user_mode(regs)};
}

/* Appends the program's part of the chain to the kernel's `frames`. Returns their number. */
__attribute__((noinline)) static uint64_t sample_put_user_chain(uint64_t *entry,
                                                                const struct regs *regs,
                                                                uint64_t frames,
                                                                const struct unwind_border *border)
{
    uint64_t *end = regs_user_mode(regs) ? entry : entry + 1 + frames;

    *end++ = (uint64_t)PERF_CONTEXT_USER;
    end += unwind_user_capture(border, end, SAMPLE_CHAIN_MAX - frames);
    return (uint64_t)(end - entry);
}

/* Writes the raw record, or four zero bytes if the source has none. Returns its end. */
static inline uint64_t *sample_put_raw(uint64_t *at, struct trace_hit *traced, uint64_t flags)
{
    if (!traced) {
        *at = RAW_NOTHING;
        return at + 1;
    }
    return tracepoint_record(traced, flags, (struct tracepoint_raw *)at);
}

/* What is known about a sample before its place is claimed. */
struct sample {
    uint64_t bytes;
    uint64_t *chain;      /* in the scratch memory; NULL: no chain */
    uint64_t chain_words; /* the number of entries and the entries */
    bool possible;        /* false: nested too deeply for the scratch memory */
};

/*
 * Builds the chain in scratch memory: the number of entries, the kernel's part after its marker,
 * then the part of the program that entered the kernel. `skip` is the plan's. No other context uses
 * this scratch memory until sample_under_way is decremented.
 */
static inline struct sample sample_prepare_chain(const struct sample_plan *plan, unsigned skip,
                                                 const struct hit *hit)
{
    const struct regs *regs = hit->regs;
    unsigned cpu = arch_cpu_id();
    uint64_t depth = local_load(&sample_under_way[cpu]);
    struct unwind_border border;
    uint64_t *chain, frames, entries;

    local_store(&sample_under_way[cpu], depth + 1);
    if (__builtin_expect(depth >= RING_NESTING, false))
        return (struct sample){.possible = false};
    chain = scratch[cpu][depth] + SCRATCH_CHAIN;
    __asm__("" : "+r"(chain)); /* keeps one register, not those it is computed from */
    frames = skip == 0 ? plan->capture(regs, chain + 2, SAMPLE_CHAIN_MAX, &border)
                       : unwind_capture_border(plan->chain.method, regs, skip, chain + 2,
                                               SAMPLE_CHAIN_MAX, &border);
    entries = 1 + frames;
    chain[1] = (uint64_t)PERF_CONTEXT_KERNEL;
    if (__builtin_expect(border.crossed, false))
        entries = sample_put_user_chain(chain + 1, regs, frames, &border);
    chain[0] = entries;
    return (struct sample){.bytes = plan->bytes + (1 + entries) * sizeof(uint64_t),
                           .chain = chain,
                           .chain_words = 1 + entries,
                           .possible = true};
}

static inline uint64_t header_word(uint32_t type, uint16_t misc, uint64_t bytes)
{
    return bytes << 48 | (uint64_t)misc << 32 | type;
}

/* Stores the words in the ABI's order, not that of the bits. `of`: the registers to show. */
__attribute__((always_inline)) static inline void
sample_put(uint64_t *to, const struct sample_plan *plan, uint64_t type, const struct hit *hit,
           const struct regs *of, const struct sample *sample, uint64_t time)
{
    const struct where where = sample_where(of, hit->traced);
    uint64_t header = header_word(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sample->bytes);
    uint64_t *at = to + WORDS_ALWAYS;

    if (__builtin_expect(where.user, false))
        header = header_word(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample->bytes);
    to[WORD_HEADER] = header;
    to[WORD_ID] = plan->id;
    to[WORD_IP] = where.ip;
    to[WORD_IDS] = hit->traced ? hit->traced->ids : hit->ids;
    to[WORD_TIME] = time;
    to[WORD_ADDR] = hit->addr;
    to[WORD_CPU] = arch_cpu_id();
    if (type & PERF_SAMPLE_PERIOD)
        *at++ = hit->period;
    if (type & PERF_SAMPLE_CALLCHAIN) {
        local_copy_words(at, sample->chain, sample->chain_words);
        at += sample->chain_words;
    }
    if (type & PERF_SAMPLE_RAW)
        at = sample_put_raw(at, hit->traced, sample_where(hit->regs, hit->traced).flags);
    if (type & PERF_SAMPLE_REGS_INTR)
        sample_put_registers(at, plan->registers, of);
}

/* A sample that crosses the ring's end is built in its chain's scratch memory, or in `own`. */
__attribute__((noinline)) static void
sample_write_around(const struct sample_plan *plan, struct ring *ring, struct ring_place place,
                    const struct regs *of, const struct hit *hit, const struct sample *sample)
{
    uint64_t own[WORDS_WITHOUT_CHAIN];
    uint64_t *whole = sample->chain ? sample->chain - SCRATCH_CHAIN : own;

    assert(sample->bytes <= (sample->chain ? SAMPLE_SIZE_MAX : sizeof(own)));
    sample_put(whole, plan, plan->type, hit, of, sample, place.time);
    ring_write_part(ring, place.offset, whole, sample->bytes);
}

/*
 * The only path of a sample into the ring. `level` is ring->nest (see ring_reserve_at), `type` the
 * plan's; for common samples both are constant, so that the compiler omits what is not needed.
 */
__attribute__((always_inline)) static inline void
sample_write_at(const struct sample_plan *plan, struct ring *ring, unsigned level, uint64_t type,
                const struct hit hit, const struct regs *of, const struct sample sample)
{
    struct ring_place place;
    uint64_t start;

    if (__builtin_expect(!ring_reserve_at(ring, level, sample.bytes, sample.possible, &place), 0)) {
        ring_commit_dropped(ring, level);
        return;
    }
    start = place.offset & ring->mask;
    publish_order_stores(); /* A: the tail was moved before these bytes change */
    if (__builtin_expect(start + sample.bytes > ring->size, false)) {
        /* Copies, so that `hit` and `sample` stay in registers. */
        const struct hit seen = {hit.regs, hit.traced, hit.addr, hit.ids, hit.period};
        const struct sample known = {sample.bytes, sample.chain, sample.chain_words, true};

        sample_write_around(plan, ring, place, of, &seen, &known);
    } else {
        sample_put((uint64_t *)(ring->bytes + start), plan, type, &hit, of, &sample, place.time);
    }
    ring_commit_at(ring, level, false);
}

/*
 * Writes what sample_write_usual does not: nested samples, samples with other parts, and samples of
 * the n-th caller, whose ip is 0 if there is no such caller.
 */
__attribute__((noinline)) static void sample_write_otherwise(const struct sample_plan *plan,
                                                             struct ring *ring, struct hit hit)
{
    const struct regs *of = hit.regs;
    struct sample sample = {.bytes = plan->bytes, .possible = true};
    struct regs caller;

    if (plan->chain.skip > 0) {
        unwind_find_caller(plan->chain.method, hit.regs, plan->chain.skip, &caller);
        of = &caller;
    }
    if (plan->type & PERF_SAMPLE_CALLCHAIN) {
        sample = sample_prepare_chain(plan, plan->chain.skip, &hit);
        if (plan->chain.verify && sample.possible && !regs_user_mode(hit.regs))
            verify_chain(hit.regs);
    }
    if (plan->type & PERF_SAMPLE_RAW && hit.traced)
        tracepoint_need_late(hit.traced);
    sample_write_at(plan, ring, (unsigned)ring->nest, plan->type, hit, of, sample);
    if (plan->type & PERF_SAMPLE_CALLCHAIN)
        local_decrement(&sample_under_way[arch_cpu_id()]);
    if (plan->taken)
        plan->taken(plan);
}

/* Writes the common samples; a nested one takes the path above. */
__attribute__((always_inline)) static inline void
sample_write_usual(const struct sample_plan *plan, struct ring *ring, uint64_t type, struct hit hit)
{
    struct sample sample = {.bytes = plan->bytes, .possible = true};

    if (__builtin_expect(ring->nest > 0, false)) {
        const struct hit seen = {hit.regs, hit.traced, hit.addr, hit.ids, hit.period};

        sample_write_otherwise(plan, ring, seen); /* a copy, as above */
        return;
    }
    if (type & PERF_SAMPLE_CALLCHAIN)
        sample = sample_prepare_chain(plan, 0, &hit);
    else if (type == 0)
        sample.bytes = WORDS_ALWAYS * sizeof(uint64_t); /* the same value, as a constant */
    hit.period = 0;                                     /* unused; a constant saves a register */
    sample_write_at(plan, ring, 0, type, hit, hit.regs, sample);
    if (type & PERF_SAMPLE_CALLCHAIN)
        local_decrement(&sample_under_way[arch_cpu_id()]);
}

/* --- The writers that a plan chooses from. --- */

static void sample_write(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                         const struct regs *regs, uint64_t ids, uint64_t period)
{
    sample_write_usual(plan, ring, 0, (struct hit){regs, NULL, addr, ids, period});
}

static void sample_write_chain(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                               const struct regs *regs, uint64_t ids, uint64_t period)
{
    sample_write_usual(plan, ring, PERF_SAMPLE_CALLCHAIN,
                       (struct hit){regs, NULL, addr, ids, period});
}

static void sample_write_any(const struct sample_plan *plan, struct ring *ring, uint64_t addr,
                             const struct regs *regs, uint64_t ids, uint64_t period)
{
    sample_write_otherwise(plan, ring, (struct hit){regs, NULL, addr, ids, period});
}

static void sample_write_traced(const struct sample_plan *plan, struct ring *ring,
                                struct trace_hit *traced, uint64_t addr, uint64_t period)
{
    sample_write_usual(plan, ring, 0, (struct hit){traced->regs, traced, addr, 0, period});
}

static void sample_write_record(const struct sample_plan *plan, struct ring *ring,
                                struct trace_hit *traced, uint64_t addr, uint64_t period)
{
    sample_write_usual(plan, ring, PERF_SAMPLE_RAW,
                       (struct hit){traced->regs, traced, addr, 0, period});
}

static void sample_write_record_chain(const struct sample_plan *plan, struct ring *ring,
                                      struct trace_hit *traced, uint64_t addr, uint64_t period)
{
    sample_write_usual(plan, ring, PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN,
                       (struct hit){trace_regs(traced), traced, addr, 0, period});
}

static void sample_write_traced_any(const struct sample_plan *plan, struct ring *ring,
                                    struct trace_hit *traced, uint64_t addr, uint64_t period)
{
    sample_write_otherwise(plan, ring, (struct hit){trace_regs(traced), traced, addr, 0, period});
}

static void sample_plan_choose(struct sample_plan *plan)
{
    const struct pitot_tracepoint *tracepoint = plan->tracepoint;
    uint64_t optional = plan->type & SAMPLE_OPTIONAL;

    plan->write = sample_write_any;
    plan->write_traced = sample_write_traced_any;
    if (plan->chain.skip > 0 || plan->chain.verify || plan->taken)
        return;
    if (optional == 0) {
        plan->write = sample_write;
        plan->write_traced = sample_write_traced;
    } else if (optional == PERF_SAMPLE_CALLCHAIN) {
        plan->write = sample_write_chain;
    } else if (tracepoint && !tracepoint->find_late) {
        if (optional == PERF_SAMPLE_RAW)
            plan->write_traced = sample_write_record;
        else if (optional == (PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN))
            plan->write_traced = sample_write_record_chain;
    }
}

/* Returns the size of the event's samples in bytes, without their call chains. */
static uint64_t sample_bytes(const struct perf_event_attr *attr,
                             const struct pitot_tracepoint *tracepoint)
{
    uint64_t bytes = WORDS_ALWAYS * sizeof(uint64_t);

    if (attr->sample_type & PERF_SAMPLE_PERIOD)
        bytes += sizeof(uint64_t);
    if (attr->sample_type & PERF_SAMPLE_RAW)
        bytes += sizeof(uint32_t) + (tracepoint ? tracepoint->raw_size : RAW_NOTHING);
    if (attr->sample_type & PERF_SAMPLE_REGS_INTR) {
        bytes += sizeof(uint64_t); /* PERF_SAMPLE_REGS_ABI_64 */
        for (uint64_t left = attr->sample_regs_intr; left; left &= left - 1)
            bytes += sizeof(uint64_t);
    }
    return bytes;
}

struct sample_plan sample_plan_make(uint64_t id, const struct perf_event_attr *attr,
                                    const struct sample_chain *chain,
                                    const struct pitot_tracepoint *tracepoint)
{
    struct sample_plan plan = {.id = id,
                               .type = attr->sample_type,
                               .bytes = sample_bytes(attr, tracepoint),
                               .registers = attr->sample_regs_intr,
                               .capture = unwind_capture_of(chain->method),
                               .chain = *chain,
                               .tracepoint = tracepoint};

    assert((attr->sample_type & SAMPLE_ALWAYS) == SAMPLE_ALWAYS); /* every sample has these */
    assert(!(attr->sample_type & ~(uint64_t)(SAMPLE_ALWAYS | SAMPLE_OPTIONAL)));
    assert(!(attr->sample_regs_intr & ~ARCH_SAMPLED));
    assert(chain->skip < SAMPLE_CHAIN_MAX);
    assert(plan.bytes % 8 == 0);
    sample_plan_choose(&plan);
    return plan;
}

void sample_plan_call(struct sample_plan *plan, sample_taken *taken)
{
    plan->taken = taken;
    sample_plan_choose(plan);
}

/* Builds the record in this CPU's scratch memory. The chain of a program is its place alone. */
void sample_take_state(const struct sample_plan *plan, struct ring *ring, struct trace_hit *traced)
{
    uint64_t *under_way = &sample_under_way[arch_cpu_id()];
    uint64_t *words = scratch[arch_cpu_id()][*under_way], *chain = words + SCRATCH_CHAIN;
    const struct regs *regs = traced->regs;
    const struct hit hit = {regs, traced, 0, 0, 1};
    struct sample sample = {.bytes = plan->bytes, .possible = true};
    bool user = regs_user_mode(regs);
    struct unwind_border border;

    assert(*under_way < RING_NESTING);
    local_increment(under_way);
    if (plan->type & PERF_SAMPLE_CALLCHAIN) {
        chain[1] = (uint64_t)(user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
        chain[2] = regs->ip;
        chain[0] = 1 + (user ? 1 : plan->capture(regs, chain + 2, SAMPLE_CHAIN_MAX, &border));
        sample.chain = chain;
        sample.chain_words = 1 + chain[0];
        sample.bytes += sample.chain_words * sizeof(uint64_t);
    }
    sample_put(words, plan, plan->type, &hit, regs, &sample, 0);
    words[WORD_CPU] = traced->cpu;
    ring_output(ring, words, (uint32_t)sample.bytes, &words[WORD_TIME]);
    local_decrement(under_way);
}

/*
 * struct { header; u64 time, id, stream_id; struct sample_id; }, where sample_id follows from
 * sample_id_all and SAMPLE_ALWAYS.
 */
void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type)
{
    uint64_t words[] = {header_word(type, 0, 64),
                        arch_clock_ns(),
                        plan->id,
                        plan->id,
                        task_current_ids(),
                        0,
                        arch_cpu_id(),
                        plan->id};

    ring_output(ring, words, sizeof(words), &words[5]);
}

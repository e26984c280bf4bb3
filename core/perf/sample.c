/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts records together in scratch memory of the CPU and context level, then copies them into the
 * ring in one go: so a record that wraps costs nothing extra, and the time can be filled in from
 * inside the claim.
 */
#include "core/perf/sample.h"

#include <asm/perf_regs.h>

#include "arch/arch.h"
#include "core/perf/caller.h"
#include "core/perf/event.h"
#include "core/perf/tracepoint.h"
#include "core/perf/unwind_user.h"
#include "core/perf/verify_chain.h"
#include "core/task.h"

#define REGISTERS_MAX 24
#define RAW_WORDS_MAX (TRACEPOINT_RECORD_MAX / 8 + 1)

/* Aligned to a power of two, so that finding one takes shifts only. */
struct sample_scratch {
    _Alignas(SAMPLE_SIZE_MAX) struct perf_event_header header;
    uint64_t words[13 + SAMPLE_CHAIN_MAX + RAW_WORDS_MAX + REGISTERS_MAX];
};

_Static_assert(sizeof(struct sample_scratch) == SAMPLE_SIZE_MAX,
               "a record with everything in it fits");

/* One a nesting level, so that an inner context does not write over an outer one's. [owning CPU] */
static struct sample_scratch scratch[ARCH_CPUS_MAX][RING_NESTING];

/*
 * Records being put together: counted apart, as the ring's own nesting begins only at the claim.
 * [owning CPU]
 */
static uint64_t under_way[ARCH_CPUS_MAX];

static const struct {
    uint8_t bit;
    uint8_t offset;
} register_places[] = {
    {PERF_REG_X86_AX, offsetof(struct regs, ax)},
    {PERF_REG_X86_BX, offsetof(struct regs, bx)},
    {PERF_REG_X86_CX, offsetof(struct regs, cx)},
    {PERF_REG_X86_DX, offsetof(struct regs, dx)},
    {PERF_REG_X86_SI, offsetof(struct regs, si)},
    {PERF_REG_X86_DI, offsetof(struct regs, di)},
    {PERF_REG_X86_BP, offsetof(struct regs, bp)},
    {PERF_REG_X86_SP, offsetof(struct regs, sp)},
    {PERF_REG_X86_IP, offsetof(struct regs, ip)},
    {PERF_REG_X86_FLAGS, offsetof(struct regs, flags)},
    {PERF_REG_X86_CS, offsetof(struct regs, cs)},
    {PERF_REG_X86_SS, offsetof(struct regs, ss)},
    {PERF_REG_X86_R8, offsetof(struct regs, r8)},
    {PERF_REG_X86_R9, offsetof(struct regs, r9)},
    {PERF_REG_X86_R10, offsetof(struct regs, r10)},
    {PERF_REG_X86_R11, offsetof(struct regs, r11)},
    {PERF_REG_X86_R12, offsetof(struct regs, r12)},
    {PERF_REG_X86_R13, offsetof(struct regs, r13)},
    {PERF_REG_X86_R14, offsetof(struct regs, r14)},
    {PERF_REG_X86_R15, offsetof(struct regs, r15)},
};

static uint64_t *sample_copy_registers(uint64_t *at, uint64_t mask, const struct regs *regs)
{
    *at++ = PERF_SAMPLE_REGS_ABI_64;
    for (unsigned i = 0; i < sizeof(register_places) / sizeof(register_places[0]); i++)
        if (mask >> register_places[i].bit & 1)
            *at++ = *(const uint64_t *)((const char *)regs + register_places[i].offset);
    return at;
}

static uint16_t sample_misc(const struct regs *regs)
{
    return regs_user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

/*
 * Where the event skips frames its samples are of the n-th caller of what hit: ip, mode, registers.
 * Where there is none that many calls up, of no place. Functions of their own, as those who skip
 * none are not to pay for it.
 */
__attribute__((noinline)) static uint64_t *
sample_copy_callers_registers(uint64_t *at, const struct event *event, const struct regs *hit)
{
    struct regs caller;

    caller_find(event->chain.method, hit, event->chain.skip, &caller);
    return sample_copy_registers(at, event->recorded.attr.sample_regs_intr, &caller);
}

__attribute__((noinline)) static void
sample_move(struct sample_scratch *out, const struct event_chain *chain, const struct regs *hit)
{
    struct regs caller;

    caller_find(chain->method, hit, chain->skip, &caller);
    out->header.misc = sample_misc(&caller);
    out->words[1] = caller.ip;
}

/*
 * A snapshot does not know the general registers: they are sent as 0, and the ABI word says that
 * there are registers.
 */
__attribute__((noinline)) static uint64_t *
sample_put_registers(uint64_t *at, const struct event *event, const struct regs *regs)
{
    if (event->chain.skip > 0)
        return sample_copy_callers_registers(at, event, regs);
    return sample_copy_registers(at, event->recorded.attr.sample_regs_intr, regs);
}

/* The scratch memory that it points into. */
static struct sample_scratch *sample_around(uint64_t *at)
{
    return (struct sample_scratch *)((uintptr_t)at & ~(uintptr_t)(SAMPLE_SIZE_MAX - 1));
}

/* The program's part, behind a mark of its own. */
static uint64_t *sample_put_user_chain(uint64_t *at, const struct unwind_border *border,
                                       size_t most)
{
    *at = (uint64_t)PERF_CONTEXT_USER;
    return at + 1 + unwind_user_capture(border, at + 1, most);
}

/* The count, the kernel's part behind its mark, unless a program was hit, and what led to it. */
__attribute__((noinline)) static uint64_t *
sample_put_chain(uint64_t *at, const struct event_chain *chain, const struct regs *regs)
{
    uint64_t *end = at + 1;
    struct unwind_border border;
    size_t frames =
        unwind_capture_border(chain->method, regs, chain->skip, at + 2, SAMPLE_CHAIN_MAX, &border);

    if (chain->skip > 0)
        sample_move(sample_around(at), chain, regs);
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
 * Size and record are whole words together, made in place. Where the source has no record, four
 * bytes of nothing.
 */
static uint64_t *sample_put_raw(uint64_t *at, const struct hit *hit)
{
    if (!hit->traced) {
        *at = sizeof(uint32_t);
        return at + 1;
    }
    return tracepoint_record(hit->traced, hit->regs, (struct tracepoint_raw *)at);
}

/* Copies a finished record into the ring; `time` is inside it and gets the claim's clock. */
static void sample_finish(uint64_t cpu, struct ring *ring, struct perf_event_header *header,
                          const uint64_t *end, uint64_t *time)
{
    uint32_t size = (uint32_t)((const char *)end - (const char *)header);

    header->size = (uint16_t)size;
    ring_output(ring, header, size, time);
    local_decrement(&under_way[cpu]);
}

static struct sample_scratch *sample_begin(uint64_t cpu)
{
    uint64_t level = local_load(&under_way[cpu]);
    struct sample_scratch *out = &scratch[cpu][level & (RING_NESTING - 1)];

    local_increment(&under_way[cpu]);
    __asm__("" : "+r"(out)); /* one register from here on, where the compiler computes it again */
    return out;
}

static uint64_t *sample_put_optional(uint64_t *at, const struct event *event, const struct hit *hit)
{
    const struct perf_event_attr *attr = &event->recorded.attr;

    if (attr->sample_type & PERF_SAMPLE_PERIOD)
        *at++ = hit->period;
    if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
        at = sample_put_chain(at, &event->chain, hit->regs);
    if (attr->sample_type & PERF_SAMPLE_RAW)
        at = sample_put_raw(at, hit);
    if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
        at = sample_put_registers(at, event, hit->regs);
    return at;
}

uint64_t sample_time(const struct perf_event_header *header)
{
    const uint64_t *words = (const uint64_t *)(header + 1);

    return words[header->type == PERF_RECORD_SAMPLE ? 3 : 4];
}

/* The order of the fields is the ABI's, not that of the bits. */
void sample_write(const struct event *event, struct ring *ring, const struct hit *hit)
{
    struct sample_scratch *out = sample_begin(hit->cpu);
    uint64_t *at = out->words + 6;

    out->header.type = PERF_RECORD_SAMPLE;
    out->header.misc = sample_misc(hit->regs);
    out->words[0] = event->recorded.id;
    out->words[1] = hit->regs->ip;
    out->words[2] = hit->ids;
    out->words[4] = hit->addr;
    out->words[5] = hit->cpu;
    if (event->recorded.attr.sample_type & SAMPLE_OPTIONAL)
        at = sample_put_optional(at, event, hit);
    sample_finish(hit->cpu, ring, &out->header, at, &out->words[3]);
}

/*
 * struct { header; u64 time, id, stream_id; struct sample_id; }, the last by sample_id_all and
 * SAMPLE_ALWAYS.
 */
void sample_write_throttle(const struct event *event, struct ring *ring, uint32_t type)
{
    unsigned cpu = arch_cpu_id();
    struct sample_scratch *out = sample_begin(cpu);

    out->header.type = type;
    out->header.misc = 0;
    out->words[0] = arch_clock_ns();
    out->words[1] = event->recorded.id;
    out->words[2] = event->recorded.id;
    out->words[3] = task_current_ids();
    out->words[5] = cpu;
    out->words[6] = event->recorded.id;
    sample_finish(cpu, ring, &out->header, out->words + 7, &out->words[4]);
}

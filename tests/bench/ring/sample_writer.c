/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes samples into this kernel's ring: the unmodified sample_take (core/sample/sample.c) takes a
 * plain sample, from an event's plan and a trap frame. Compiled with the kernel's flags. The
 * samples are identified by their address, which counts up.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <asm/prctl.h>
#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "arch/own.h"
#include "arch/regs.h"
#include "core/sample/sample.h"
#include "core/task.h"
#include "core/unwind/unwind.h"
#include "tests/bench/ring/writers.h"

#define EVENT_ID   0x1d
#define SAMPLE_IP  0xffffffff80123456
#define SAMPLE_IDS 0x700000007

struct sampler {
    struct ring ring;
    struct sample_plan plan;
    struct regs regs;
};

/* The words of a plain sample. */
struct sample {
    struct perf_event_header header;
    uint64_t id, ip, ids, time, addr, cpu;
};

_Static_assert(sizeof(struct sample) == EVENT_SIZE(PAYLOAD_OF_SAMPLE),
               "the events beside it are of the same size");

/* --- What samples with more than the plain words would need: none is taken here. --- */

size_t unwind_capture_border(enum unwind_method method, const struct regs *regs, unsigned skip,
                             uint64_t *chain, size_t most, struct unwind_border *border)
{
    (void)method, (void)regs, (void)skip, (void)chain, (void)most, (void)border;
    __builtin_trap();
}

unwind_capture_function *unwind_capture_of(enum unwind_method method)
{
    (void)method;
    return NULL;
}

size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most)
{
    (void)border, (void)chain, (void)most;
    __builtin_trap();
}

bool unwind_find_caller(enum unwind_method method, const struct regs *hit, unsigned callers,
                        struct regs *caller)
{
    (void)method, (void)hit, (void)callers, (void)caller;
    __builtin_trap();
}

void verify_chain(const struct regs *regs)
{
    (void)regs;
    __builtin_trap();
}

const uint8_t arch_sampled_places[ARCH_SAMPLED_BITS];
uint64_t task_ids[ARCH_CPUS_MAX];
struct pitot_preemption pitot_preemption[ARCH_CPUS_MAX];

/*
 * The CPU's own data, which kernel code finds by GS: here each thread's GS base, the same for both.
 */
static const struct percpu this_cpu = {.cpu = 3};

static void *sampler_open(struct side *side)
{
    const struct perf_event_attr attr = {.sample_type = SAMPLE_ALWAYS};
    const struct sample_chain no_chain = {.skip = 0};
    struct sampler *sampler = aligned_alloc(64, (sizeof(*sampler) + 63) / 64 * 64);
    void *memory = aligned_alloc(4096, RING_BYTES);

    (void)side;
    if (!sampler || !memory ||
        ring_init(&sampler->ring, memory, RING_BYTES, RING_OVERWRITE, false, NULL) ||
        syscall(SYS_arch_prctl, ARCH_SET_GS, &this_cpu)) {
        free(memory);
        free(sampler);
        return NULL;
    }
    memset(memory, 0, RING_BYTES);
    sampler->plan = sample_plan_make(EVENT_ID, &attr, &no_chain, NULL);
    sampler->regs =
        (struct regs){.ip = SAMPLE_IP, .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};
    return sampler;
}

static void sampler_close(struct side *side)
{
    struct sampler *sampler = side->ring;

    free(sampler->ring.bytes);
    free(sampler);
}

static void sampler_burst(struct side *side, unsigned count)
{
    struct sampler *sampler = side->ring;

    for (unsigned i = 0; i < count; i++)
        sample_take(&sampler->plan, &sampler->ring, ++side->event.sequence, &sampler->regs,
                    SAMPLE_IDS, 1);
}

static const char *sample_fault(const struct sample *sample, struct sample *last)
{
    const struct sample expected = {
        .header = {.type = PERF_RECORD_SAMPLE,
                   .misc = PERF_RECORD_MISC_KERNEL,
                   .size = sizeof(expected)},
        .id = EVENT_ID,
        .ip = SAMPLE_IP,
        .ids = SAMPLE_IDS,
        .time = sample->time,
        .addr = last->addr == 0 ? sample->addr : last->addr + 1,
        .cpu = this_cpu.cpu,
    };
    bool timed = HAS_CLOCK ? sample->time > 0 && sample->time >= last->time : sample->time == 0;

    *last = *sample;
    return sample->addr != expected.addr ? "a sample is missing or out of order"
           : memcmp(sample, &expected, sizeof(expected)) != 0 ? "a sample with a wrong word"
           : timed                                            ? NULL
                                                              : "a sample with a wrong time";
}

static const char *sampler_fault(struct side *side)
{
    const struct sampler *sampler = side->ring;
    const struct ring *ring = &sampler->ring;
    struct sample sample, last = {.addr = 0};
    struct ring_reader reader;
    const char *fault = NULL;
    uint64_t kept = 0;

    ring_reader_start(&reader, ring);
    while (!fault && ring_read(&reader, &sample, sizeof(sample)) == RING_READ_RECORD) {
        fault = sample_fault(&sample, &last);
        kept++;
    }
    if (!fault && (ring->dropped || reader.skipped || kept + ring->overwritten != ring->produced))
        fault = "the account is wrong";
    return fault ? fault : newest_fault(side, last.addr, kept);
}

const struct writer OF_CLOCK(writer_sample_) = {
    .name = "Pitot, sample_take",
    .clock = HAS_CLOCK,
    .open = sampler_open,
    .close = sampler_close,
    .burst = sampler_burst,
    .fault = sampler_fault,
    .payload = PAYLOAD_OF_SAMPLE,
};

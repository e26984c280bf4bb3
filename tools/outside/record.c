/* SPDX-License-Identifier: BSD-2-Clause */
/* See record.h. */
#include "tools/outside/record.h"

#include <stddef.h>
#include <string.h>

#include <linux/hw_breakpoint.h>

#include "core/stream/stream.h"
#include "core/tracepoint/tracepoint.h"

#define CPUS_MOST 1024 /* CPUs with a name for their tasks */
#define ROUND_NS  1000000000u

/*
 * core/stream describes the fields of tracepoints, and names the functions in them. From outside
 * there are no tracepoints, and the table of symbols is empty.
 */
struct tracepoint *tracepoint_by_id(uint64_t id)
{
    (void)id;
    return NULL;
}

uint16_t tracepoint_id(const struct tracepoint *tracepoint)
{
    (void)tracepoint;
    return 0;
}

__asm__(".globl symtab_start, symtab_end\n"
        ".section .rodata\n"
        "symtab_start:\n"
        "symtab_end:\n"
        ".text\n");

static struct {
    struct sink sink;
    FILE *file;
    struct stream stream;
    struct stream_kernel described;
    struct recorded_event events[POINTS_MOST];
    const struct kernel *kernel;
    const struct point *points; /* as many as events, in the same order */
    bool named[CPUS_MOST];
    uint64_t round; /* the next one is due */
} out;

static void write_bytes(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    fwrite(bytes, 1, length, out.file);
}

static struct perf_event_attr attr_of(const struct point *point, bool chains, uint64_t period)
{
    static const uint32_t types[] = {[POINT_EXECUTE] = HW_BREAKPOINT_X,
                                     [POINT_WRITE] = HW_BREAKPOINT_W,
                                     [POINT_ACCESS] = HW_BREAKPOINT_RW};

    return (struct perf_event_attr){
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof(struct perf_event_attr),
        .sample_period = period,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                       (chains ? PERF_SAMPLE_CALLCHAIN : 0),
        .bp_type = types[point->kind],
        .bp_addr = point->address,
        .bp_len = point->length,
    };
}

static const struct perf_event_header *no_record(struct record_source *source)
{
    (void)source;
    return NULL;
}

static void no_rewind(struct record_source *source)
{
    (void)source;
}

void record_begin(FILE *file, const struct kernel *kernel, const struct point *points,
                  unsigned count, bool chains, uint64_t period)
{
    struct record_source source = {
        .rewind = no_rewind, .next = no_record, .events = out.events, .event_count = count};

    out.sink.write = write_bytes;
    out.file = file;
    out.kernel = kernel;
    out.points = points;
    out.described =
        (struct stream_kernel){.build_id = kernel->has_build_id ? kernel->build_id : NULL,
                               .text = kernel->text,
                               .text_size = kernel->text_size,
                               .arch = "x86_64"};
    for (unsigned i = 0; i < count; i++) {
        out.events[i] =
            (struct recorded_event){.id = i + 1, .attr = attr_of(&points[i], chains, period)};
        memcpy(out.events[i].name, points[i].name, sizeof(points[i].name));
    }
    stream_init(&out.stream, &out.sink, &out.described);
    stream_begin_recording(&out.stream, &source, true);
}

static uint32_t task_of(unsigned cpu)
{
    char name[16];
    const struct recorded_task task = {.pid = cpu + 1, .tid = cpu + 1, .comm = name};

    if (cpu < CPUS_MOST && !out.named[cpu]) {
        snprintf(name, sizeof(name), "cpu%u", cpu);
        stream_put_task(&out.stream, &task);
        out.named[cpu] = true;
    }
    return cpu + 1;
}

/* perf's order of the fields, for the sample_type of attr_of. */
struct sample {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time, addr;
    uint32_t cpu, reserved;
    uint64_t period;
    uint64_t chain_length;
    uint64_t chain[1 + CHAIN_MOST];
};
_Static_assert(sizeof(struct sample) <= STREAM_STAGE, "the stream takes each sample");
_Static_assert(offsetof(struct sample, chain_length) == 64, "no holes");

bool record_hit(struct hit *hit, uint64_t time)
{
    const struct recorded_event *event = &out.events[hit->point - out.points];
    const uint32_t task = task_of(hit->cpu);
    struct sample sample = {
        .header = {.type = PERF_RECORD_SAMPLE,
                   .misc = hit->user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
                   .size = offsetof(struct sample, chain_length)},
        .id = event->id,
        .ip = hit->machine.registers[DWARF_RIP],
        .pid = task,
        .tid = task,
        .time = time,
        .addr = event->attr.bp_addr,
        .cpu = hit->cpu,
        .period = event->attr.sample_period,
    };
    bool whole = true;

    if (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
        sample.chain[0] = hit->user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL;
        sample.chain[1] = sample.ip;
        sample.chain_length = 2;
        if (!hit->user)
            sample.chain_length =
                1 + kernel_chain(out.kernel, &hit->machine, sample.chain + 1, &whole);
        sample.header.size =
            (uint16_t)(offsetof(struct sample, chain) + sample.chain_length * sizeof(uint64_t));
    }
    stream_put_record(&out.stream, &sample.header);
    if (time >= out.round) {
        stream_put_round(&out.stream);
        out.round = time + ROUND_NS;
    }
    return whole;
}

void record_end(uint64_t time)
{
    stream_end_recording(&out.stream, NULL, 0, time);
}

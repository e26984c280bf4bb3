/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `bench-cpus PART...`: the events per second that all CPUs record together, for
 * tests/bench/cpus.pl, which boots this with 1, 2, 4 and 8 CPUs. A thread on each CPU raises the
 * same number of events, into rings that overwrite; all start together. Parts:
 *
 *     ring     ring_output alone, 64 bytes of payload after header and time
 *     trace    a tracepoint whose samples carry its record (-R)
 *     watch    a store to a watched variable, one for all CPUs
 *
 * Each part then checks that the rings received all events. Task context, interrupts on.
 */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/console/command.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/recording/recording.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/preempt.h"
#include "kernel/sched/thread.h"
#include "tests/kernel/bench.h"

#define RING_ORDER 6 /* 256 KiB, as on the host */

struct part {
    const char *name;
    const char *command; /* what a user would type after `perf`; NULL: the test's own rings */
    void (*raise)(unsigned cpu, unsigned count);
    unsigned count; /* per CPU: about a fifth of a second in an emulator */
};

struct writer {
    _Alignas(128) uint64_t begin, end; /* written by its thread only, until that has been joined */
};

static struct writer writers[ARCH_CPUS_MAX];
static struct ring bench_rings[ARCH_CPUS_MAX];
static const struct part *running; /* constant while writers run */
static unsigned arrived;           /* writers ready to start; atomic */
static volatile uint64_t bench_cpus_watched;

static void raise_ring(unsigned cpu, unsigned count)
{
    struct {
        struct perf_event_header header;
        uint64_t time;
        uint8_t payload[64];
    } record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(record)}};

    preempt_off();
    for (unsigned i = 0; i < count; i++)
        ring_output(&bench_rings[cpu], &record, sizeof(record), &record.time);
    preempt_on();
}

static void raise_trace(unsigned cpu, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        PITOT_TRACE(bench_hit, i, cpu);
}

static void raise_watch(unsigned cpu, unsigned count)
{
    (void)cpu;
    for (unsigned i = 0; i < count; i++)
        bench_cpus_watched = i;
}

static const struct part parts[] = {
    {"ring", NULL, raise_ring, 500000},
    {"trace", "record --overwrite -R -e bench:bench_hit", raise_trace, 200000},
    {"watch", "record --overwrite -e mem:bench_cpus_watched:w", raise_watch, 10000},
};

static void write_events(void *data)
{
    unsigned cpu = (unsigned)(uintptr_t)data;

    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < cpus_running())
        arch_relax();
    writers[cpu].begin = arch_clock_ns();
    running->raise(cpu, running->count);
    writers[cpu].end = arch_clock_ns();
}

/* Runs a writer on each CPU, until all have ended. */
static void write_on_all(const struct part *part)
{
    struct thread *thread[ARCH_CPUS_MAX] = {NULL};
    struct refusal why;

    running = part;
    arrived = 0;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        if (!arch_cpu_runs(cpu))
            continue;
        thread[cpu] =
            thread_create_on(cpu, "bench-cpus", write_events, (void *)(uintptr_t)cpu, &why);
        if (!thread[cpu])
            panic("bench-cpus: %s", why.text);
    }
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (thread[cpu])
            thread_join(thread[cpu]);
}

/* --- The test's own rings. --- */

static void rings_make(void)
{
    struct refusal why;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        void *memory = pages_alloc(RING_ORDER);

        if (!memory || ring_init(&bench_rings[cpu], memory, PAGE_SIZE << RING_ORDER, RING_OVERWRITE,
                                 false, &why))
            panic("bench-cpus: no ring");
    }
}

/* The number of events they kept or overwrote by newer ones. */
static uint64_t rings_end(void)
{
    uint64_t recorded = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        recorded += bench_rings[cpu].produced - bench_rings[cpu].dropped;
        pages_free(bench_rings[cpu].bytes, RING_ORDER);
    }
    return recorded;
}

static uint64_t recording_end(void)
{
    struct recording_counts counts;

    recording_stop();
    counts = recording_counts();
    return counts.produced - counts.dropped;
}

/* --- The parts. --- */

static uint64_t a_second(uint64_t events, uint64_t ns)
{
    return ns ? events * 1000000000 / ns : 0;
}

/* The time is from the first writer's start to the last one's end. */
static void report(const struct part *part, uint64_t recorded)
{
    uint64_t begin = UINT64_MAX, end = 0, slowest = 0, fastest = UINT64_MAX;
    uint64_t events = (uint64_t)part->count * cpus_running();

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        const struct writer *writer = &writers[cpu];
        uint64_t took = writer->end - writer->begin;

        if (!arch_cpu_runs(cpu))
            continue;
        begin = writer->begin < begin ? writer->begin : begin;
        end = writer->end > end ? writer->end : end;
        slowest = took > slowest ? took : slowest;
        fastest = took < fastest ? took : fastest;
    }
    print("bench-cpus %s: %u CPUs, %llu events, %llu recorded, %llu ns, %llu a second, "
          "one CPU %llu to %llu\n",
          part->name, cpus_running(), (unsigned long long)events, (unsigned long long)recorded,
          (unsigned long long)(end - begin), (unsigned long long)a_second(events, end - begin),
          (unsigned long long)a_second(part->count, slowest),
          (unsigned long long)a_second(part->count, fastest));
}

static int run_part(const struct part *part)
{
    bool records;
    int error;

    if (!part->command) {
        rings_make();
        write_on_all(part);
        report(part, rings_end());
        return 0;
    }
    error = bench_start(part->command, &records);
    if (error)
        return error;
    write_on_all(part);
    report(part, recording_end());
    return 0;
}

static const struct part *part_named(const char *name)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(name, parts[i].name) == 0)
            return &parts[i];
    print("bench-cpus: no part is called %s; there are ring, trace and watch\n", name);
    return NULL;
}

static int bench_cpus_run(int argc, char **argv)
{
    int error = 0;

    for (int i = 1; i < argc && !error; i++) {
        const struct part *part = part_named(argv[i]);

        error = part ? run_part(part) : -EINVAL;
    }
    return error;
}

PITOT_COMMAND_AS(bench_cpus, "bench-cpus", "PART...",
                 "events a second by all CPUs: ring, trace, watch", bench_cpus_run, 0);

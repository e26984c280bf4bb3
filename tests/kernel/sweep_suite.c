/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A breakpoint of every kind on every place of the kernel, four at a time, while all CPUs work
 * (tests/kernel/sweep_load.h). Each hit is sampled with its chain into rings that overwrite, and
 * raises breakpoint:hit, which is also sampled, so the whole hit path runs on any instruction of
 * the kernel. The four breakpoints remain until every thread and every CPU's interrupts have made
 * progress under them. No event may be lost. docs/breakpoints.md, "The sweep". Task context of the
 * boot thread; needs several CPUs.
 */
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>

#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "core/event/event.h"
#include "core/lib/cpus.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/sample/sample.h"
#include "core/symbols/symbols.h"
#include "kernel/memory/pages.h"
#include "kernel/sched/thread.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/sweep_load.h"
#include "tests/kernel/sweep_places.h"

#define RING_PAGES_ORDER 4
#define EVERY_SHORT      32
#define SHOWN_MOST       10
#define EVENTS           (ARCH_WATCHES + 1) /* plus breakpoint:hit */

/* Every `every`-th of all places, beginning with number `first`. */
static struct {
    uint64_t every, first;
} chosen;

static struct event events[EVENTS];
static struct ring sampled[ARCH_CPUS_MAX];
static struct ring_reader readers[ARCH_CPUS_MAX];

/*
 * Places of code and of data are armed separately: QEMU 7.2 dies at an indirect call if its pointer
 * is watched and its target has an execute breakpoint (docs/breakpoints.md, Machines).
 */
static struct batch {
    struct sweep_place place[ARCH_WATCHES];
    unsigned count;
} of_code, of_data;

/* The results. */
static struct {
    uint64_t visited; /* places, chosen or not */
    uint64_t places, armed[SWEEP_KINDS], refused[SWEEP_KINDS];
    uint64_t wrong;   /* refused though ordinary, or without a documented reason */
    uint64_t left;    /* CPUs with a breakpoint still armed after the last was removed */
    uint64_t read;    /* samples, */
    uint64_t unsound; /* ... that are inconsistent */
    unsigned shown;
    const char *stuck; /* what made no progress */
} sweep;

/* --- Events and rings ------------------------------------------------------------------------- */

static bool rings_prepare(struct refusal *why)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        void *memory = pages_alloc(RING_PAGES_ORDER);

        if (!memory)
            return refuse(why, ENOMEM, "no memory for a ring") == 0;
        if (ring_init(&sampled[cpu], memory, PAGE_SIZE << RING_PAGES_ORDER, RING_OVERWRITE, false,
                      why) != 0)
            return false;
        ring_reader_start(&readers[cpu], &sampled[cpu]);
    }
    return true;
}

static void rings_free(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        pages_free(sampled[cpu].bytes, RING_PAGES_ORDER);
        sampled[cpu].bytes = NULL;
    }
}

static bool events_prepare(struct refusal *why)
{
    static struct event_cpu counters[EVENTS][ARCH_CPUS_MAX];
    struct event_spec spec;

    memset(counters, 0, sizeof(counters));
    for (unsigned i = 0; i < EVENTS; i++) {
        const char *spelling = i < ARCH_WATCHES ? "mem:ticks:w" : "breakpoint:hit";

        if (event_spec_parse(spelling, &spec, why) != 0)
            return false;
        spec.attr.sample_type = SAMPLE_ALWAYS | PERF_SAMPLE_CALLCHAIN |
                                (i < ARCH_WATCHES ? PERF_SAMPLE_REGS_INTR : PERF_SAMPLE_RAW);
        spec.attr.sample_regs_intr = ARCH_SAMPLED;
        spec.attr.sample_period = 1;
        spec.chain.method = unwind_default();
        event_init(&events[i], &spec, counters[i]);
        event_begin(&events[i], sampled);
    }
    return event_enable(&events[ARCH_WATCHES], why) == 0;
}

static void read_rings(void)
{
    static uint64_t record[SAMPLE_SIZE_MAX / sizeof(uint64_t)];
    const struct perf_event_header *header = (const void *)record;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        while (ring_read(&readers[cpu], record, sizeof(record)) == RING_READ_RECORD) {
            bool sound = header->type == PERF_RECORD_SAMPLE &&
                         record[1] - events[0].recorded.id < EVENTS && arch_executable(record[2]) &&
                         record[6] == cpu;

            sweep.read++;
            sweep.unsound += !sound;
        }
}

/* --- One batch -------------------------------------------------------------------------------- */

static void show(const struct sweep_place *place, const char *what)
{
    if (sweep.shown++ < SHOWN_MOST)
        print("# %s 0x%lx/%u, access %u: %s\n", place->name, (unsigned long)place->address,
              place->length, place->access, what);
}

static bool set(struct event *event, const struct sweep_place *place)
{
    static const uint32_t types[] = {[ARCH_EXECUTE] = HW_BREAKPOINT_X,
                                     [ARCH_WRITE] = HW_BREAKPOINT_W,
                                     [ARCH_READ_WRITE] = HW_BREAKPOINT_RW};
    struct perf_event_attr *attr = &event->recorded.attr;
    struct refusal why;
    int error;

    attr->bp_addr = place->address;
    attr->bp_len = place->length;
    attr->bp_type = types[place->access];
    error = event_enable(event, &why);
    sweep.places++;
    if (error == 0) {
        sweep.armed[place->kind]++;
        return true;
    }
    sweep.refused[place->kind]++;
    if (place->ordinary || (error != -EPERM && error != -EFAULT)) {
        sweep.wrong++;
        show(place, why.text);
    }
    return false;
}

static void run_batch(struct batch *batch)
{
    bool armed[ARCH_WATCHES];
    static struct sweep_marks marks; /* too large for the stack */
    unsigned count = 0;

    for (unsigned i = 0; i < batch->count; i++) {
        armed[i] = set(&events[i], &batch->place[i]);
        count += armed[i];
    }
    if (count > 0) {
        sweep_marks_take(&marks);
        sweep.stuck = sweep_load_await(&marks);
        for (unsigned i = 0; sweep.stuck && i < batch->count; i++)
            show(&batch->place[i], sweep.stuck);
    }
    for (unsigned i = 0; i < batch->count; i++)
        if (armed[i])
            event_disable(&events[i]);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        sweep.left += arch_watches(cpu) != 0;
    read_rings();
    batch->count = 0;
}

static void visit(const struct sweep_place *place)
{
    struct batch *batch = place->access == ARCH_EXECUTE ? &of_code : &of_data;

    if (sweep.stuck || sweep.visited++ % chosen.every != chosen.first)
        return;
    batch->place[batch->count++] = *place;
    if (batch->count < ARCH_WATCHES)
        return;
    if (sweep.places % 400 == 0)
        print("# %lu places, now at %s\n", (unsigned long)sweep.places, place->name);
    run_batch(batch);
}

/* --- Refusals --------------------------------------------------------------------------------- */

static uint64_t forbidden_places, allowed; /* ... and how many of them could be set */

static void try_forbidden(const struct sweep_range *range, uintptr_t address)
{
    static const enum arch_access accesses[] = {ARCH_EXECUTE, ARCH_WRITE, ARCH_READ_WRITE};

    for (unsigned i = 0; i < 3; i++) {
        struct breakpoint breakpoint = {.address = address,
                                        .length = accesses[i] == ARCH_EXECUTE ? 1 : 8,
                                        .access = accesses[i]};
        struct refusal why;
        int error = breakpoint_install(&breakpoint, &why);

        forbidden_places++;
        if (error == -EPERM)
            continue;
        if (error == 0)
            breakpoint_remove(&breakpoint);
        allowed++;
        print("# 0x%lx, in %s: %s\n", (unsigned long)address, range->name,
              error ? why.text : "set");
    }
}

/* In separate threads, one after the other: the arbiter's refusals name the overlapped memory. */
static void try_forbidden_here(void *unused)
{
    struct sweep_range ranges[SWEEP_RANGES];
    unsigned count = sweep_forbidden(ranges);

    (void)unused;
    for (unsigned i = 0; i < count && allowed < SHOWN_MOST; i++) {
        /* In stacks, only some words of each page. */
        size_t step = ranges[i].length > 2 * PAGE_SIZE ? PAGE_SIZE / 4 : 8;
        uintptr_t start = (ranges[i].start + 7) & ~(uintptr_t)7;

        for (uintptr_t at = start; at + 8 <= ranges[i].start + ranges[i].length; at += step)
            try_forbidden(&ranges[i], at);
    }
}

static uint64_t armed_somewhere; /* registers, as read from DR7 */

static void look_at_dr7(void *unused)
{
    uint64_t dr7 = cpu_read_dr7();

    (void)unused;
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        armed_somewhere += (dr7 & DR7_GLOBAL(i)) != 0;
}

static void on_each(void (*function)(void *))
{
    struct refusal why;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        struct thread *thread =
            arch_cpu_runs(cpu) ? thread_create_on(cpu, "on-each", function, NULL, &why) : NULL;

        if (thread)
            thread_join(thread);
    }
}

/* --- Claims ----------------------------------------------------------------------------------- */

static void claim_forbidden(void)
{
    forbidden_places = allowed = 0;
    on_each(try_forbidden_here);
    ktap_ok(forbidden_places > 0 && allowed == 0,
            "what traps use on each CPU, its tables, its own area, its stacks: refused (%lu times)",
            (unsigned long)forbidden_places);
}

static void show_counts(uint64_t hits)
{
    static const char *const kinds[SWEEP_KINDS] = {
        [SWEEP_FUNCTION] = "functions",
        [SWEEP_INSTRUCTION] = "instructions in them",
        [SWEEP_DATA] = "words of data",
        [SWEEP_STACK] = "words of stacks",
        [SWEEP_PAGE_TABLE] = "words of page tables",
    };

    for (unsigned kind = 0; kind < SWEEP_KINDS; kind++)
        print("# %s: %lu breakpoints set, %lu refused\n", kinds[kind],
              (unsigned long)sweep.armed[kind], (unsigned long)sweep.refused[kind]);
    print("# %lu breakpoints, %lu hits, %lu samples read\n", (unsigned long)sweep.places,
          (unsigned long)hits, (unsigned long)sweep.read);
}

/* Hits of all events, including breakpoint:hit. */
static uint64_t count_hits(uint64_t *drained)
{
    uint64_t hits = 0;

    *drained = 0;
    for (unsigned i = 0; i < EVENTS; i++) {
        *drained += event_sum(&events[i]).drained;
        hits += events[i].recorded.count;
    }
    return hits;
}

static void claim_sweep(void)
{
    uint64_t produced = 0, dropped = 0, drained, hits;
    struct sweep_pokes pokes;
    const char *fault;

    sweep_load_start();
    sweep_places(visit);
    if (!sweep.stuck)
        run_batch(&of_code);
    if (!sweep.stuck)
        run_batch(&of_data);
    ktap_ok(!sweep.stuck, "under each, every thread and every CPU's interrupts go on%s%s",
            sweep.stuck ? ": " : "", sweep.stuck ? sweep.stuck : "");
    fault = sweep_load_stop();
    ktap_ok(!fault, "no load was led astray%s%s", fault ? ": " : "", fault ? fault : "");
    pokes = sweep_pokes();
    ktap_ok(pokes.sent > 0 && pokes.sent == pokes.answered, "no interrupt was lost (%lu)",
            (unsigned long)pokes.sent);
    event_disable(&events[ARCH_WATCHES]);
    ktap_equal(sweep.wrong, 0, "each could be set, or was refused for a reason");
    ktap_equal(sweep.left, 0, "when they were removed no CPU had one armed");
    armed_somewhere = 0;
    on_each(look_at_dr7);
    ktap_equal(armed_somewhere, 0, "... nor has now, by its DR7");
    hits = count_hits(&drained);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        produced += sampled[cpu].produced;
        dropped += sampled[cpu].dropped;
    }
    ktap_ok(hits == produced + drained && dropped == 0, "each hit became a record (%lu)",
            (unsigned long)hits);
    ktap_ok(sweep.unsound == 0, "... which a reader can believe (%lu)", (unsigned long)sweep.read);
    show_counts(hits);
}

static void sweep_claims(void)
{
    struct refusal why = {""};

    memset(&sweep, 0, sizeof(sweep));
    of_code.count = of_data.count = 0;
    if (!ktap_ok(cpus_running() > 1, "there are CPUs: %u", cpus_running()))
        return;
    claim_forbidden();
    if (ktap_ok(rings_prepare(&why) && events_prepare(&why), "events can be made%s", why.text))
        claim_sweep();
    rings_free();
}

static bool choose(int argc, char **argv)
{
    chosen.every = EVERY_SHORT;
    chosen.first = arch_clock_ns() % EVERY_SHORT;
    if (argc == 1)
        return true;
    return argc == 3 && number_parse(argv[1], UINT32_MAX, &chosen.every) && chosen.every > 0 &&
           number_parse(argv[2], UINT32_MAX, &chosen.first) && chosen.first < chosen.every;
}

static int ktap_command_sweep(int argc, char **argv)
{
    if (!choose(argc, argv)) {
        print("ktap-sweep: EVERY FIRST, or nothing for every %uth place; 1 0 is all\n",
              EVERY_SHORT);
        return -EINVAL;
    }
    print("# ktap-sweep %lu %lu\n", (unsigned long)chosen.every, (unsigned long)chosen.first);
    return ktap_run(sweep_claims);
}

PITOT_COMMAND_AS(ktap_sweep, "ktap-sweep", "[EVERY FIRST]",
                 "breakpoints everywhere, on several CPUs under load", ktap_command_sweep, 0);

/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of recording.h. */
#include "core/recording/recording.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/recording/kept.h"

void *recording_take(size_t bytes, const char *what, struct refusal *why)
{
    const char *missing = "memory_take of struct pitot_kernel is 0";
    void *memory = host.memory_take ? host.memory_take(bytes, &missing) : NULL;

    if (!memory)
        refuse(why, ENOMEM, "%s: %s", what, missing);
    return memory;
}

/* --- Rings --- */

/* Clears each ring before its memory is returned: an NMI in between may report from the ring. */
static void rings_give(struct ring *rings)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        void *bytes = rings[cpu].bytes;
        uint64_t size = rings[cpu].size;

        rings[cpu] = (struct ring){.bytes = NULL}; /* also clears the counters */
        local_barrier();
        if (bytes && !kept_has(bytes))
            host.memory_give(bytes, size);
    }
}

/* `memory`: the ring's bytes, already allocated; NULL: takes them from the host. */
static int ring_take(struct ring *ring, const struct recording_options *options, void *memory,
                     struct refusal *why)
{
    enum ring_mode mode = options->overwrite ? RING_OVERWRITE : RING_NORMAL;
    uint64_t size = options->ring_size;
    char what[64];
    int error = ring_init(ring, NULL, size, mode, false, why);

    if (error)
        return error;
    print_into(what, sizeof(what), "a ring of %llu bytes for each CPU", (unsigned long long)size);
    if (!memory)
        memory = recording_take(size, what, why);
    return memory ? ring_init(ring, memory, size, mode, false, why) : -ENOMEM;
}

int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why)
{
    uint8_t *start = kept_rings(arch_cpus(), options->ring_size);
    int error = 0;

    kept_drop();
    rings_give(rings);
    for (unsigned cpu = 0; !error && cpu < arch_cpus(); cpu++)
        error =
            ring_take(&rings[cpu], options, start ? start + cpu * options->ring_size : NULL, why);
    if (error)
        rings_give(rings);
    return error;
}

/* --- Aggregates --- */

static void *table_take(const struct event *event, size_t bytes, struct refusal *why)
{
    char what[EVENT_NAME_SIZE + 64];

    bytes *= arch_cpus();
    print_into(what, sizeof(what), "%s: %zu bytes for the tables of %u CPUs", event->recorded.name,
               bytes, arch_cpus());
    return recording_take(bytes, what, why);
}

/* A span's memory belongs to the event that begins it. */
static int tables_take(struct event *event, struct refusal *why)
{
    struct aggregate *aggregate = &event->aggregate;

    if (aggregate->plan.role == AGGREGATE_BEGINS)
        aggregate->spans = table_take(event, sizeof(*aggregate->spans), why);
    else if (aggregate_is_wanted(&aggregate->plan))
        aggregate->cpu = table_take(event, sizeof(*aggregate->cpu), why);
    else
        return 0;
    return aggregate->spans || aggregate->cpu ? 0 : -ENOMEM;
}

static void join_spans(struct event *events, unsigned count)
{
    const struct event *from = NULL;

    for (unsigned i = 0; i < count; i++)
        if (events[i].aggregate.plan.role == AGGREGATE_BEGINS)
            from = &events[i];
    for (unsigned i = 0; i < count; i++)
        if (events[i].aggregate.plan.role == AGGREGATE_ENDS) {
            assert(from); /* core/perf/aggregate_options.c refuses an end without a begin */
            events[i].aggregate.spans = from->aggregate.spans;
            events[i].aggregate.from = from->recorded.name;
        }
}

int recording_aggregates_take(struct event *events, unsigned count, struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; !error && i < count; i++)
        error = tables_take(&events[i], why);
    if (error)
        recording_aggregates_give(events, count);
    else
        join_spans(events, count);
    return error;
}

void recording_aggregates_give(struct event *events, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct aggregate *aggregate = &events[i].aggregate;

        if (aggregate->cpu)
            host.memory_give(aggregate->cpu, arch_cpus() * sizeof(*aggregate->cpu));
        if (aggregate->spans && aggregate->plan.role == AGGREGATE_BEGINS)
            host.memory_give(aggregate->spans, arch_cpus() * sizeof(*aggregate->spans));
        aggregate->cpu = NULL;
        aggregate->spans = NULL;
    }
}

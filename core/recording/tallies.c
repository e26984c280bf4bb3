/* SPDX-License-Identifier: BSD-2-Clause */
/* See tallies.h. */
#include "core/recording/tallies.h"

#include "core/host.h"
#include "core/lib/assert.h"

/* On failure, returns NULL and a reason that names the event. */
static void *take(const struct event *event, size_t bytes, struct refusal *why)
{
    struct refusal missing = {"Pitot's host provides no memory"};
    void *memory = host.memory_take ? host.memory_take(bytes * arch_cpus(), &missing) : NULL;

    if (!memory)
        refuse(why, ENOMEM, "%s: %zu bytes for the tables of %u CPUs: %s", event->recorded.name,
               bytes * arch_cpus(), arch_cpus(), missing.text);
    return memory;
}

/* A span's memory belongs to the event that begins it. */
static int take_all(struct event *event, struct refusal *why)
{
    const struct tally_plan *plan = &event->tally.plan;

    if (plan->role == TALLY_BEGINS)
        event->tally.spans = take(event, sizeof(struct span_cpu), why);
    else if (tally_is_wanted(plan))
        event->tally.cpu = take(event, sizeof(struct tally_cpu), why);
    else
        return 0;
    return event->tally.spans || event->tally.cpu ? 0 : -ENOMEM;
}

static void join_spans(struct event *events, unsigned count)
{
    const struct event *from = NULL;

    for (unsigned i = 0; i < count; i++)
        if (events[i].tally.plan.role == TALLY_BEGINS)
            from = &events[i];
    for (unsigned i = 0; i < count; i++)
        if (events[i].tally.plan.role == TALLY_ENDS) {
            assert(from); /* core/perf/tally_options.c refuses an end without a begin */
            events[i].tally.spans = from->tally.spans;
            events[i].tally.from = from->recorded.name;
        }
}

int recording_tallies_take(struct event *events, unsigned count, struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; !error && i < count; i++)
        error = take_all(&events[i], why);
    if (error)
        recording_tallies_give(events, count);
    else
        join_spans(events, count);
    return error;
}

void recording_tallies_give(struct event *events, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct tally *tally = &events[i].tally;

        if (tally->cpu)
            host.memory_give(tally->cpu, arch_cpus() * sizeof(*tally->cpu));
        if (tally->spans && tally->plan.role == TALLY_BEGINS)
            host.memory_give(tally->spans, arch_cpus() * sizeof(*tally->spans));
        tally->cpu = NULL;
        tally->spans = NULL;
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracepoint source. Hits run in the tracepoint's context with interrupts off. */
#include "arch/cpu.h"
#include "arch/snapshot.h"
#include "core/event/event.h"
#include "core/host.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/lib/words.h"

static struct event *event_of_probe(struct tracepoint_probe *probe)
{
    return (struct event *)((char *)probe - offsetof(struct event, probe));
}

static inline bool event_tracepoint_means(const struct event *event, struct trace_hit *hit)
{
    if (event->spec.filter.count > 0 && !filter_passes(&event->spec.filter, hit))
        return false;
    return !event->filtered || event_matches(event, trace_regs(hit), hit->ids, hit->cpu);
}

/* The handlers of nearly all hits: every hit matches, and there is no aggregate. */
static void event_tracepoint_hit(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    event_traced_meant(event_of_probe(probe), hit, false);
}

static void event_tracepoint_hit_addressed(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    event_traced_meant(event_of_probe(probe), hit, true);
}

static void event_tracepoint_hit_filtered(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    struct event *event = event_of_probe(probe);

    if (event_tracepoint_means(event, hit))
        event_traced_meant(event, hit, event->addressed);
}

static void event_tracepoint_hit_aggregated(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    struct event *event = event_of_probe(probe);

    if (!event_tracepoint_means(event, hit))
        return;
    aggregate_add(&event->aggregate, &(struct aggregate_hit){.traced = hit, .cpu = hit->cpu});
    event_traced_meant(event, hit, event->addressed);
}

/* The hit ends a span: its sample's period is the time since the hit that began the span. */
static void event_tracepoint_hit_ends(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    struct event *event = event_of_probe(probe);
    const struct aggregate_hit taken = {.traced = hit, .cpu = hit->cpu};

    if (event_tracepoint_means(event, hit))
        event_traced_for(event, hit, aggregate_add(&event->aggregate, &taken));
}

/*
 * The period is an amount of weight or, with a frequency, a number of hits. A sample carries the
 * weight since the last one, more than the period if a single hit weighs more. The event always
 * counts hits.
 */
__attribute__((always_inline)) static inline void
event_tracepoint_take_weighted(struct tracepoint_probe *probe, struct trace_hit *hit,
                               bool aggregated)
{
    struct event *event = event_of_probe(probe);
    struct event_cpu *here = &event->cpu[hit->cpu];
    struct ring *rings;
    uint64_t weight, step;

    if (!event_tracepoint_means(event, hit))
        return;
    if (aggregated)
        aggregate_add(&event->aggregate, &(struct aggregate_hit){.traced = hit, .cpu = hit->cpu});
    rings = *(struct ring *volatile *)&event->rings;
    here->count++;
    if (!rings || event_is_drained(here, hit->ids))
        return;
    weight = hit->argument[hit->tracepoint->weight];
    step = event->recorded.attr.freq ? 1 : weight;
    here->weight += weight;
    if (here->period_left > step) {
        here->period_left -= step;
        return;
    }
    here->period_left = here->period;
    weight = here->weight;
    here->weight = 0;
    if (event_may(event, here, &rings[hit->cpu]))
        sample_take_traced(&event->plan, &rings[hit->cpu], hit, 0, weight);
}

static void event_tracepoint_hit_weighted(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    event_tracepoint_take_weighted(probe, hit, false);
}

static void event_tracepoint_hit_weighted_aggregated(struct tracepoint_probe *probe,
                                                     struct trace_hit *hit)
{
    event_tracepoint_take_weighted(probe, hit, true);
}

/* A sample's address is that of the object reported: the first pointer that needs no search. */
static bool find_address(const struct pitot_tracepoint *tracepoint, unsigned *address)
{
    unsigned most = tracepoint->find_late ? tracepoint->late : tracepoint->field_count;

    for (*address = 0; *address < most; ++*address)
        if (tracepoint->field[*address].kind == TRACEPOINT_pointer)
            return true;
    return false;
}

/* Decided once here, so that no hit has to. */
static tracepoint_probe_hit *choose_hit(struct event *event,
                                        const struct pitot_tracepoint *tracepoint)
{
    bool aggregated = aggregate_is_wanted(&event->aggregate.plan);

    event->addressed = find_address(tracepoint, &event->address);
    if (event->aggregate.plan.role == AGGREGATE_ENDS)
        return event_tracepoint_hit_ends;
    if (tracepoint->weighted)
        return aggregated ? event_tracepoint_hit_weighted_aggregated
                          : event_tracepoint_hit_weighted;
    if (aggregated)
        return event_tracepoint_hit_aggregated;
    if (event->filtered || event->spec.filter.count > 0)
        return event_tracepoint_hit_filtered;
    return event->addressed ? event_tracepoint_hit_addressed : event_tracepoint_hit;
}

static int tracepoint_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    struct pitot_tracepoint *tracepoint = tracepoint_by_id(attr->config);

    if (!tracepoint)
        return refuse(why, ENOENT, "%s: no tracepoint has the id %llu", event->recorded.name,
                      (unsigned long long)attr->config);
    event->probe =
        (struct tracepoint_probe){.hit = choose_hit(event, tracepoint),
                                  .registers = attr->sample_type & PERF_SAMPLE_REGS_INTR};
    return tracepoint_listen(tracepoint, &event->probe, why);
}

/*
 * A state is recorded where each hit is: not if it would stand for several hits, end the recording
 * or begin a span, and not for the threads of a workload, which has not begun yet.
 */
static bool records_states(const struct event *event)
{
    const struct event_spec *spec = &event->spec;
    const struct perf_event_attr *attr = &event->recorded.attr;

    return event->rings && !attr->freq && attr->sample_period == 1 && !spec->followed &&
           !spec->trigger && !spec->stop && !spec->chain.skip &&
           !aggregate_is_wanted(&spec->aggregate);
}

/* Records what each CPU does at a recording's start or end. All CPUs are parked. */
static void tell_states(struct event *event, bool begins)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_by_id(event->recorded.attr.config);
    uint64_t argument[TRACEPOINT_FIELDS_MAX], flags;

    if (!tracepoint || !tracepoint->tell_state || !records_states(event))
        return;
    flags = arch_irq_save();
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        struct trace_hit hit = {.tracepoint = tracepoint,
                                .argument = argument,
                                .regs = arch_stopped_regs(cpu),
                                .ids = task_ids[cpu],
                                .cpu = cpu};

        if (hit.ids == event_drain_ids || !tracepoint->tell_state(cpu, begins, argument))
            continue;
        if (!hit.regs) { /* this CPU; here, as the chain is made before this function returns */
            REGS_SNAPSHOT(&hit.own);
            hit.regs = &hit.own;
        }
        if (!event_tracepoint_means(event, &hit))
            continue;
        event->cpu[cpu].count++;
        sample_take_state(&event->plan, &event->rings[cpu], &hit);
    }
    arch_irq_restore(flags);
}

static void tracepoint_begin_event(struct event *event)
{
    tell_states(event, true);
}

static void tracepoint_disable(struct event *event)
{
    tell_states(event, false);
    tracepoint_leave(tracepoint_by_id(event->recorded.attr.config), &event->probe);
}

/* `system`: characters up to the colon, which is included. */
static int refuse_unknown(const char *spelling, size_t system, struct refusal *why)
{
    const struct pitot_tracepoint *tracepoint = NULL;
    char text[SPELLING_LIST], near[SPELLING_LIST];
    struct words names = words_begin(text, sizeof(text));

    while ((tracepoint = tracepoint_after(tracepoint)) != NULL)
        if (strncmp(tracepoint->full_name, spelling, system) == 0)
            words_add(&names, "%s", tracepoint->name);
    if (names.length == 0)
        return event_refuse_unknown(spelling, why);
    if (!event_near_tracepoints(spelling, near, sizeof(near)))
        return refuse(why, ENOENT, "no tracepoint \"%s\"; %.*s has %s", spelling, (int)system,
                      spelling, text);
    if (!own_kernel) /* which may have no console */
        return refuse(why, ENOENT, "no tracepoint \"%s\"; near: %s", spelling, near);
    return refuse(why, ENOENT, "no tracepoint \"%s\"; near: %s; `perf list %.*s` lists all",
                  spelling, near, (int)system, spelling);
}

/* A tracepoint's name starts with a system and a colon, and no other event starts with a system. */
static int tracepoint_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    struct pitot_tracepoint *tracepoint = NULL;
    const char *colon = strchr(spelling, ':');

    if (!colon)
        return EVENT_IS_ANOTHERS;
    while ((tracepoint = tracepoint_after(tracepoint)) != NULL) {
        if (strcmp(tracepoint->full_name, spelling) == 0) {
            spec->attr.type = PERF_TYPE_TRACEPOINT;
            spec->attr.config = tracepoint_id(tracepoint);
            return 0;
        }
    }
    return refuse_unknown(spelling, (size_t)(colon - spelling) + 1, why);
}

/* Each tracepoint also has its own line in `perf list`. */
static void tracepoint_describe(struct sink *sink)
{
    print_to(sink, "  SYSTEM:NAME                                        [Tracepoint event]\n"
                   "      * and ? stand for all that match; --filter compares the fields\n");
}

const struct event_source tracepoint_source = {
    .spelt = "or a tracepoint (`perf list`)",
    .spelt_embedded = "or a tracepoint, SYSTEM:NAME",
    .describe = tracepoint_describe,
    .parse = tracepoint_parse,
    .enable = tracepoint_enable,
    .disable = tracepoint_disable,
    .begin = tracepoint_begin_event,
    .has_fields = true,
    .hertz_max = PACE_HERTZ_MAX,
};

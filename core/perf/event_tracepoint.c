/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoint source: perf_event_attr <-> a probe of a tracepoint, config being its id. Hits run
 * in the tracepoint's context with interrupts off; what the filter keeps out is not counted.
 */
#include "core/perf/event_tracepoint.h"

#include "core/perf/event.h"

static void event_tracepoint_hit(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    struct event *event = (struct event *)((char *)probe - offsetof(struct event, probe));

    if (event->filter.count == 0 || filter_passes(&event->filter, hit))
        event_hit_traced(event, hit);
}

int event_tracepoint_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    struct tracepoint *tracepoint = tracepoint_by_id(attr->config);

    if (!tracepoint)
        return refuse(why, ENOENT, "%s: no tracepoint has the id %llu", event->recorded.name,
                      (unsigned long long)attr->config);
    event->probe = (struct tracepoint_probe){
        .hit = event_tracepoint_hit, .registers = attr->sample_type & PERF_SAMPLE_REGS_INTR};
    return tracepoint_listen(tracepoint, &event->probe, why);
}

void event_tracepoint_disable(struct event *event)
{
    tracepoint_leave(tracepoint_by_id(event->recorded.attr.config), &event->probe);
}

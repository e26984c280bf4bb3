/* SPDX-License-Identifier: BSD-2-Clause */
/* See tallies.h. */
#include "core/recording/tallies.h"

#include "core/host.h"

static size_t tally_bytes(void)
{
    return arch_cpus() * sizeof(struct tally_cpu);
}

static int take(struct event *event, struct refusal *why)
{
    struct refusal missing = {"the host of Pitot gives no memory"};

    if (host.memory_take)
        event->tally.cpu = host.memory_take(tally_bytes(), &missing);
    if (event->tally.cpu)
        return 0;
    return refuse(why, ENOMEM, "%s: %zu bytes for the tables of %u CPUs: %s", event->recorded.name,
                  tally_bytes(), arch_cpus(), missing.text);
}

int recording_tallies_take(struct event *events, unsigned count, struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; !error && i < count; i++)
        if (tally_is_wanted(&events[i].tally.plan))
            error = take(&events[i], why);
    if (error)
        recording_tallies_give(events, count);
    return error;
}

void recording_tallies_give(struct event *events, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (events[i].tally.cpu)
            host.memory_give(events[i].tally.cpu, tally_bytes());
        events[i].tally.cpu = NULL;
    }
}

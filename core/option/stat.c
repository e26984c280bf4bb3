/* SPDX-License-Identifier: BSD-2-Clause */
/* See stat.h. */
#include "core/option/stat.h"

#include "core/gather/gathered.h"

/* Terms belong to samples, and only samples tell which thread used the time. */
static int check_event(const struct gathered *gathered, unsigned index, struct refusal *why)
{
    const struct event_spec *event = &gathered->options->recording.events[index];
    bool part = gathered->pid || event->attr.exclude_user || event->attr.exclude_kernel;

    if (terms_has_any(&gathered->own[index]))
        return refuse(
            why, EINVAL,
            "%s: its terms are for samples: perf stat only counts; perf record takes samples",
            event->name);
    if (event->source->counts_time && part)
        return refuse(why, EINVAL,
                      "%s: perf stat counts all time; perf record samples a part of it",
                      event->name);
    return 0;
}

int stat_options_check(const struct gathered *gathered, struct refusal *why)
{
    const struct recording_options *recording = &gathered->options->recording;
    const struct stat_options *stat = &gathered->stat;
    int error = 0;

    for (unsigned i = 0; !error && i < recording->event_count; i++)
        error = check_event(gathered, i, why);
    if (error)
        return error;
    if (stat->runs && !gathered->options->workload)
        return refuse(why, EINVAL, "-r: say what to run: -- COMMAND");
    return 0;
}

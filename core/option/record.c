/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See record.h. The table's setters gather what the words say; then it is applied to all events at
 * once, and checked.
 */
#include "core/option/record.h"

#include "core/gather/events.h"
#include "core/gather/rate.h"
#include "core/gather/span.h"
#include "core/lib/string.h"
#include "core/option/branches.h"
#include "core/option/stat.h"
#include "core/option/table.h"
#include "core/option/target.h"

/*
 * As in perf, a command without -e has events all the same: where the time goes, or for `perf stat`
 * what a person asks of a load first. Those of `perf trace` are what it is made of.
 */
static const struct part {
    const struct options *options;
    const char *events[5];
} parts[] = {
    {&record_options, {"cpu-clock"}},
    {&stat_options,
     {"cpu-clock", "sched:sched_switch", "irq:irq_handler_entry", "raw_syscalls:sys_enter"}},
    {&trace_options, {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"}},
};

static const struct part *part_of(const char *name)
{
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(parts[i].options->name, name) == 0)
            return &parts[i];
    return parts;
}

/* A kernel that embeds Pitot may have the first alone: then that is what it is asked for. */
static int add_defaults(struct gathered *gathered, const char *const *events, struct refusal *why)
{
    static const struct event_terms nothing;
    int error = events_add(gathered, *events, &nothing, why);

    while (!error && *++events)
        error = events_add(gathered, *events, &nothing, why);
    return gathered->options->recording.event_count > 0 ? 0 : error;
}

/* Fills `gathered` and the workload, and sees to it that there is an event. */
static int gather(struct gathered *gathered, const struct part *part, int argc, char **argv,
                  struct refusal *why)
{
    struct perf_options *options = gathered->options;
    int taken = options_parse(part->options, argc, argv, gathered, why);

    if (taken < 0)
        return taken;
    options->workload_count = argc - taken;
    options->workload = taken < argc ? argv + taken : NULL;
    options->recording.overwrite = gathered->overwrite;
    options->recording.compress = gathered->compress;
    options->recording.ring_size =
        gathered->ring_size ? gathered->ring_size : RECORDING_RING_DEFAULT;
    options->stat = gathered->stat;
    options->trace = gathered->trace;
    options->verify = gathered->verify;
    options->all_threads = gathered->all_threads || gathered->cpus || !options->workload;
    if (options->recording.event_count > 0)
        return 0;
    return add_defaults(gathered, part->events, why);
}

static int choose_targets(const struct gathered *gathered, struct refusal *why)
{
    const struct perf_options *options = gathered->options;
    struct recording_options *recording = &gathered->options->recording;
    struct target_options target = {.pid = gathered->pid,
                                    .workload = options->workload ? options->workload[0] : NULL,
                                    .all_threads = gathered->all_threads};
    int error = targets_choose(recording->events, recording->event_count, &target, why);

    for (unsigned i = 0; !error && i < recording->event_count; i++) {
        recording->events[i].cpus = gathered->cpus;
        if (gathered->cpus && recording->events[i].source->follows)
            return refuse(why, EINVAL, "-C: %s follows a thread, on whichever CPU it runs",
                          recording->events[i].name);
    }
    return error;
}

int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why)
{
    static struct gathered gathered; /* one command at a time: large */
    const struct part *part = part_of(argv[0]);
    struct recording_options *recording = &options->recording;
    int error;

    *options = (struct perf_options){.verify = false};
    gathered = (struct gathered){.options = options, .trace.lines = true};
    error = gather(&gathered, part, argc, argv, why);
    if (error)
        return error;
    terms_apply(&gathered);
    error = span_options_choose(recording->events, recording->event_count, gathered.key, why);
    if (!error && part->options == &stat_options)
        error = stat_options_check(&gathered, why);
    if (!error)
        error = choose_targets(&gathered, why);
    if (!error)
        error = rates_check(&gathered, why);
    if (!error)
        error = terms_check(&gathered, why);
    if (!error)
        error = branches_choose(recording->events, recording->event_count, why);
    return error ? error : chains_check(&gathered, why);
}

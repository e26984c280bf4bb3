/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. The table's setters store the options, which are then applied and checked. */
#include "core/perf/options.h"

#include "core/lib/string.h"
#include "core/perf/option_table.h"

/* As in perf, a command without -e has default events. `perf trace` always uses them. */
static const struct defaults {
    const struct options *options;
    const char *events[5];
} commands[] = {
    {&record_options, {"cpu-clock"}},
    {&stat_options,
     {"cpu-clock", "sched:sched_switch", "irq:irq_handler_entry", "raw_syscalls:sys_enter"}},
    {&trace_options, {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"}},
};

static const struct defaults *defaults_of(const char *name)
{
    for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(commands[i].options->name, name) == 0)
            return &commands[i];
    return commands;
}

/*
 * Succeeds with at least one event, because an embedding kernel may lack all but the first. With
 * -p, `perf stat` leaves out the clock, which check_counted would refuse.
 */
static int add_defaults(struct perf_options *options, const struct defaults *defaults,
                        struct refusal *why)
{
    static const struct event_terms nothing;
    struct recording_options *recording = &options->recording;
    bool counts_part = defaults->options == &stat_options && options->pid;
    int error = 0;

    for (const char *const *event = defaults->events; !error && *event; event++) {
        error = events_add(options, *event, &nothing, why);
        if (!error && counts_part &&
            recording->events[recording->event_count - 1].source->counts_time)
            recording->event_count--;
    }
    if (recording->event_count > 0)
        return 0;
    return counts_part ? refuse(why, EINVAL, "-p needs an event: add -e EVENT") : error;
}

static int read_arguments(struct perf_options *options, const struct defaults *defaults, int argc,
                          char **argv, struct refusal *why)
{
    int taken = options_parse(defaults->options, argc, argv, options, why);

    if (taken < 0)
        return taken;
    options->workload_count = argc - taken;
    options->workload = taken < argc ? argv + taken : NULL;
    if (!options->recording.ring_size)
        options->recording.ring_size = RECORDING_RING_DEFAULT;
    options->all_threads = options->all_cpus || options->cpus || !options->workload;
    if (options->recording.event_count > 0)
        return 0;
    return add_defaults(options, defaults, why);
}

/*
 * Rejects terms, which are for samples, and a clock limited to a thread or a privilege level,
 * because only samples tell whose time it was.
 */
static int check_counted(const struct perf_options *options, unsigned index, struct refusal *why)
{
    const struct event_spec *event = &options->recording.events[index];
    bool part = options->pid || event->attr.exclude_user || event->attr.exclude_kernel;

    if (terms_has_any(&options->own[index]))
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

static int check_stat(const struct perf_options *options, struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; !error && i < options->recording.event_count; i++)
        error = check_counted(options, i, why);
    if (!error && options->stat.runs && !options->workload)
        error = refuse(why, EINVAL, "-r needs a command: add -- COMMAND");
    return error;
}

int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why)
{
    const struct defaults *defaults = defaults_of(argv[0]);
    struct recording_options *recording = &options->recording;
    int error;

    *options = (struct perf_options){.trace.lines = true};
    error = read_arguments(options, defaults, argc, argv, why);
    if (error)
        return error;
    terms_apply(options);
    error = span_options_choose(recording->events, recording->event_count, options->key, why);
    if (!error && defaults->options == &stat_options)
        error = check_stat(options, why);
    if (!error)
        error = targets_choose(options, why);
    if (!error)
        error = terms_check(options, why);
    if (!error)
        error = targets_check_branches(recording, why);
    return error ? error : chains_check(options, why);
}

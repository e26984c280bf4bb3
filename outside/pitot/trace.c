/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot trace` of command.h: who ran when, on each CPU. The plugin sends slices that have ended,
 * and adds up the short ones; the file is written at the end, because slices come in the order of
 * their ends, and viewers want that of their beginnings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"
#include "outside/pitot/trace_records.h"

#define OUTPUT "trace.json"
#define MOST   1000000     /* events, if it is not said: some 110 MB */
#define KEPT   (64u << 20) /* bytes for --overwrite */
#define LEAST  10000       /* time of a call that is written */

/* --- What is asked --- */

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* The functions of all globs, sorted and each once. */
static int ask_functions(struct watch *watch, const struct pitot_options *options,
                         struct refusal *why)
{
    static struct events events; /* large */
    const struct pitot_options globs = {.events = options->functions};
    uint64_t *functions = NULL;
    size_t count = 0, room = 0, kept = 0;
    int error = options->functions.count ? events_read(&events, &globs, watch->kernel, why) : 0;

    for (unsigned i = 0; i < events.count && !error; i++) {
        const struct event *event = &events.event[i];

        error = array_grow(&functions, &room, count + event->entry_count, sizeof(*functions),
                           "functions", why);
        for (size_t j = 0; j < event->entry_count && !error; j++)
            functions[count++] = event->entries[j];
    }
    if (error)
        return error;
    if (count > 0)
        qsort(functions, count, sizeof(*functions), compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || functions[kept - 1] != functions[i])
            functions[kept++] = functions[i];
    trace_records_begin(watch, functions, kept);
    return plugin_add_addresses(watch, &watch->request.trace.functions, functions, kept, why);
}

static int ask(struct watch *watch, const struct pitot_options *options, struct refusal *why)
{
    if (options->events.count > 0 && events_have(watch->events, EVENT_INSTRUCTIONS))
        return refuse(why, EINVAL,
                      "-e instructions: markers are at mem:, call:, return: and irq events");
    watch->sampled = true;
    watch->request.chains = true;
    watch->request.samples_most = options->overwrite ? 0 : options->most ? options->most : MOST;
    watch->request.trace.slices = true;
    watch->request.trace.depth = options->levels ? (uint32_t)options->levels : UINT32_MAX;
    watch->request.trace.least = options->least                 ? options->least
                                 : options->functions.count > 0 ? 0
                                                                : LEAST;
    return ask_functions(watch, options, why);
}

/* --- The file --- */

static void name_tracks(const struct watch *watch)
{
    char name[32];

    trace_file_name(TRACE_CPUS, 0, "CPUs");
    for (unsigned cpu = 0; cpu < watch->cpus; cpu++) {
        snprintf(name, sizeof(name), "CPU %u", cpu);
        trace_file_name(TRACE_CPUS, TRACE_CPUS + cpu, name);
    }
    trace_file_name(KERNEL_PID, 0, watch->kernel->name);
}

static char *joined(char *const *words)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    for (char *const *word = words; stream && *word; word++)
        fprintf(stream, "%s%s", word == words ? "" : " ", *word);
    return stream && fclose(stream) == 0 ? text : NULL;
}

static int write_file(struct watch *watch, bool ran, struct refusal *why)
{
    struct trace_about about = {.clock = "instructions that all CPUs have executed",
                                .unit = "1 instruction",
                                .kernel = watch->kernel->path,
                                .command = joined(watch->command)};
    int error;

    name_tracks(watch);
    error = trace_file_end(ran && about.command ? &about : NULL, why);
    free((char *)about.command);
    return error;
}

static void tell_end(const char *path, bool written)
{
    unsigned long long events = trace_file_events();

    if (trace_records_full_at())
        fprintf(stderr,
                "pitot: the trace ends after %llu instructions: --max was reached; --overwrite "
                "keeps the last events, --least fewer\n",
                (unsigned long long)trace_records_full_at());
    watch_tell(trace_file_lost(), "event", "overwritten; a larger -m keeps more");
    if (written)
        plain_tell("[ pitot trace: %llu event%s in %s; %llu other calls are summed ]", events,
                   events == 1 ? "" : "s", path, (unsigned long long)(trace_records_summed()));
    else
        plain_tell("[ pitot trace: %s is not written ]", path);
}

int command_trace(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    const char *path = options->output ? options->output : OUTPUT;
    uint64_t memory = options->memory ? options->memory : KEPT;
    int error = ask(watch, options, why), closing;
    bool ran;

    if (!error)
        error = trace_locks_ask(watch, options, why);
    if (error)
        return error;
    watch->take = trace_records_take;
    error =
        trace_file_begin(path, options->overwrite ? memory / sizeof(struct trace_event) : 0, why);
    if (error)
        return error;
    error = watch_run(watch, why);
    ran = !error && watch->begun && trace_file_events() > 0;
    closing = write_file(watch, ran, error ? NULL : why);
    watch->end.samples_left_out = 0;
    trace_locks_tell();
    watch_tell_losses(watch);
    watch_tell_empty(watch, options);
    tell_end(path, ran && !closing);
    return error ? error : closing;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot record` of command.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/command.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/recording.h"

/* Why there is no sample. */
static void tell_none(const struct watch *watch, const struct pitot_options *options)
{
    const char *from = options->from, *until = options->until;
    bool hit = false;

    if (recording_samples() > 0 || !watch_ran(watch) || watch_tell_empty(watch, options))
        return;
    for (unsigned i = 0; i < EVENTS_MOST; i++)
        hit = hit || watch->hits[i] > 0;
    fprintf(stderr, "pitot: the kernel ran %llu instructions",
            (unsigned long long)watch->end.instructions);
    if (from || until)
        fprintf(stderr, ", %llu of them within%s%s%s%s", (unsigned long long)watch->end.within,
                from ? " --start " : "", from ? from : "", until ? " --until " : "",
                until ? until : "");
    fprintf(stderr, "%s\n", hit ? "; a lower -c samples them" : ", and there was no hit");
}

/* Reports each --trigger event without a hit. */
static void tell_triggers_without_hit(const struct watch *watch)
{
    for (unsigned i = 0; i < watch->events->count && watch->whole; i++)
        if (watch->events->event[i].stops && watch->hits[i] == 0)
            plain_tell("pitot: --trigger %s: no hit", watch->events->event[i].name);
}

static void tell_file(const char *path, bool streams)
{
    unsigned long long samples = recording_samples();

    if (streams && recording_names())
        fprintf(stderr, "pitot: the stream's names are in %s, which perf reads\n",
                recording_names());
    if (recording_kept())
        plain_tell("[ pitot record: %llu sample%s in %s ]", samples, samples == 1 ? "" : "s", path);
    else
        plain_tell("[ pitot record: %s is not written ]", path);
}

static int take(const struct wire_head *record, struct refusal *why)
{
    if (record->kind == WIRE_SAMPLE)
        return recording_sample((const void *)record, why);
    if (record->kind == WIRE_REGISTERS)
        recording_registers((const void *)record);
    if (record->kind == WIRE_THREAD)
        return recording_thread((const void *)record, why);
    if (record->kind == WIRE_SLIDE)
        recording_slide(((const struct wire_number *)record)->number);
    return 0;
}

/* Draws the recording, or on a terminal says what does. */
static int show(const struct pitot_options *options, struct refusal *why)
{
    char *path = (char *)recording_output(options);
    const struct pitot_options shown = {.place_count = 1, .places = {path}};

    if (!recording_kept() || recording_samples() == 0)
        return 0;
    if (options->show)
        return show_recording(&shown, why);
    if (strcmp(path, "-") != 0 && isatty(STDERR_FILENO))
        plain_tell("pitot: pitot show %s draws it, as an HTML page", path);
    return 0;
}

int command_record(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    int error = recording_create(options, watch->kernel, watch->events, why), closing;
    bool ran;

    if (error)
        return error;
    watch->sampled = true;
    watch->take = take;
    watch->taken = recording_taken;
    watch->request.chains |= options->chains;
    watch->request.samples_most = options->most;
    watch->streams = strcmp(recording_output(options), "-") == 0;
    error = watch_run(watch, why);
    ran = !error && watch_ran(watch);
    /* Samples before an error are kept; the first error is reported. */
    closing = recording_close(watch->cpus ? watch->cpus : 1, command->argc, command->argv, ran,
                              error ? NULL : why);
    watch_tell_losses(watch);
    watch_tell(sample_ring_lost(), "sample", "overwritten; a larger -m keeps more");
    tell_triggers_without_hit(watch);
    watch_tell(recording_cut(), "chain", "too long for a perf record: [left out] in its middle");
    tell_none(watch, options);
    tell_file(recording_output(options), watch->streams);
    if (watch->request.chains && isatty(STDERR_FILENO))
        fprintf(stderr, "pitot: where perf script prints offsets in the file (perf 6.1), -G prints "
                        "addresses\n");
    error = error ? error : closing;
    return error ? error : show(options, why);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot show` of command.h: a recording as a page or in another form, by way of perf. All refusals
 * come before a file is written, which replaces an older one when it is whole.
 */
#define _GNU_SOURCE
#include "outside/pitot/show.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/command.h"
#include "outside/pitot/files.h"
#include "outside/pitot/plain.h"

#define INPUT "perf.data"
#define LIST  ".kallsyms"

static const char *suffix(const struct pitot_options *options)
{
    return options->svg          ? ".svg"
           : options->folded     ? ".folded"
           : options->speedscope ? ".speedscope.json"
           : options->firefox    ? ".firefox.json"
                                 : ".html";
}

/* The first event of the recording's own order that has samples; else that of the first sample. */
static uint32_t first_event(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->listed.count; i++)
        for (uint32_t event = 0; event < profile->events.count; event++)
            if (strcmp(interned_key(&profile->listed, i), interned_key(&profile->events, event)) ==
                0)
                return event;
    return 0;
}

/* Leaves the event to draw in *event, where a form has only one. */
static int choose_event(const struct profile *profile, const char *name, uint32_t *event,
                        struct refusal *why)
{
    char all[256] = "";

    for (*event = 0; name && *event < profile->events.count; ++*event)
        if (strcmp(interned_key(&profile->events, *event), name) == 0)
            return 0;
    for (uint32_t i = 0; i < profile->events.count; i++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), " %s",
                 (const char *)interned_key(&profile->events, i));
    if (name)
        return refuse(why, EINVAL, "-e %s: the events with samples are%s", name, all);
    *event = first_event(profile);
    if (profile->events.count > 1)
        plain_tell("pitot: takes %s; -e takes another of%s",
                   (const char *)interned_key(&profile->events, *event), all);
    return 0;
}

static void write_form(FILE *out, const struct pitot_options *options,
                       const struct profile *profile, uint32_t event, const char *title)
{
    if (options->svg)
        show_svg(out, profile, event, title);
    else if (options->folded)
        show_folded(out, profile, event);
    else if (options->speedscope)
        show_speedscope(out, profile, title);
    else if (options->firefox)
        show_firefox(out, profile, title);
    else
        show_page(out, profile, title);
}

/* Writes the form to `path`, which is replaced when all is there. */
static int write_file(const struct pitot_options *options, const struct profile *profile,
                      uint32_t event, const char *title, const char *path, struct refusal *why)
{
    struct output output;
    bool streams = strcmp(path, "-") == 0;
    int file = streams ? dup(STDOUT_FILENO) : output_open(&output, path, why), error = 0;
    FILE *out = file < 0 ? NULL : fdopen(file, "w");

    if (!out)
        return streams ? refuse(why, errno, "-o -: %s", strerror(errno)) : file;
    write_form(out, options, profile, event, title);
    if (fflush(out) != 0 || ferror(out))
        error = refuse(why, EIO, "%s: %s", path, strerror(errno));
    fclose(out);
    if (streams)
        return error;
    if (!error)
        error = output_keep(&output, why);
    output_drop(&output);
    return error;
}

static int read_profile(const char *input, const char *symbols, struct profile *profile,
                        struct refusal *why)
{
    char *beside = NULL, *copy = NULL;
    struct show_input of = {0};
    bool listed;
    int error = show_input_check(input, &of, why);

    if (error)
        return error;
    if (!symbols && asprintf(&beside, "%s" LIST, input) >= 0 && access(beside, R_OK) == 0)
        symbols = beside;
    listed = symbols != NULL;
    if (listed)
        error = show_input_copy(symbols, &copy, why);
    if (!error)
        error = perf_script_read(input, &of, copy, profile, why);
    free(copy);
    free(beside);
    if (error)
        return error;
    if (profile->rows.count == 0)
        return refuse(why, EINVAL, "%s has no sample%s", input,
                      of.guest && !listed ? " of the host; --symbols FILE, the guest's kallsyms, "
                                            "shows the guest's"
                                          : "");
    if (profile->named == 0)
        return refuse(why, EINVAL,
                      "%s: perf names no function in which a sample was taken: the kernel's file "
                      "is another, or stripped; record again, or give --symbols <(nm KERNEL)",
                      input);
    if (profile->chains == 0)
        plain_tell("pitot: %s has no call chains; record -g", input);
    return 0;
}

int show_recording(const struct pitot_options *options, struct refusal *why)
{
    const char *input = options->place_count ? options->places[0] : INPUT;
    const char *slash = strrchr(input, '/'), *title = slash ? slash + 1 : input;
    struct profile profile = {0};
    uint32_t event = 0;
    char *made = NULL;
    int error = 0;

    if (options->output && show_input_is(input, options->output))
        error = refuse(why, EINVAL, "-o %s: is the recording; give another file", options->output);
    if (!error)
        error = read_profile(input, options->symbols, &profile, why);
    if (!error && (options->svg || options->folded))
        error = choose_event(&profile, options->event, &event, why);
    if (!error && !options->output && asprintf(&made, "%s%s", input, suffix(options)) < 0)
        error = refuse(why, ENOMEM, "out of memory");
    if (!error)
        error = write_file(options, &profile, event, title, made ? made : options->output, why);
    if (!error && !(options->output && strcmp(options->output, "-") == 0))
        plain_tell("[ pitot show: %s ]", made ? made : options->output);
    free(made);
    return error;
}

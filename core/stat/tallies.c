/* SPDX-License-Identifier: BSD-2-Clause */
/* See tallies.h. */
#include "core/stat/tallies.h"

#include "core/console/command.h"
#include "core/host.h"
#include "core/tally/print.h"

static struct tally_line *lines; /* taken once, as the number of CPUs does not change */

int tallies_prepare(const struct perf_options *options, struct refusal *why)
{
    struct refusal missing = {"the host of Pitot gives no memory"};
    size_t bytes = tally_lines_most() * sizeof(*lines);
    bool any = false;

    for (unsigned i = 0; i < options->recording.event_count; i++)
        any |= tally_is_wanted(&options->recording.events[i].tally);
    if (!any || lines)
        return 0;
    if (host.memory_take)
        lines = host.memory_take(bytes, &missing);
    if (lines)
        return 0;
    return refuse(why, ENOMEM, "%zu bytes to sort keys in: %s", bytes, missing.text);
}

void tallies_print(const struct perf_options *options)
{
    struct sink *sink = command_output();

    for (unsigned i = 0; i < options->recording.event_count; i++)
        if (recording_tally(i))
            tally_print(sink, options->recording.events[i].name, recording_tally(i), lines);
}

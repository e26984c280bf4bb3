/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf list` of commands.h: the events, and the owners of the debug registers. */
#include "core/perf/commands.h"

#include <linux/errno.h>

#include "arch/watch.h"
#include "core/breakpoint/breakpoint.h"
#include "core/console/command.h"
#include "core/event/source.h"
#include "core/lib/glob.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/tracepoint/format.h"

static void print_tracepoint(struct sink *sink, const struct pitot_tracepoint *tracepoint)
{
    print_to(sink, "  %-30s", tracepoint->full_name);
    for (unsigned f = 0; f < tracepoint->field_count; f++)
        print_to(sink, "%s %s %s%s", f ? "," : "", tracepoint_type_name(&tracepoint->field[f]),
                 tracepoint->field[f].name,
                 tracepoint->field[f].kind == TRACEPOINT_text ? "[]" : "");
    print_to(sink, "\n");
}

static void list_all(struct sink *sink)
{
    const struct pitot_tracepoint *tracepoint = NULL;

    print_to(sink, "\nList of events (to be used in -e):\n\n");
    for (size_t i = 0; i < event_source_count; i++)
        event_sources[i]->describe(sink);
    while ((tracepoint = tracepoint_after(tracepoint)) != NULL)
        print_tracepoint(sink, tracepoint);
    print_to(sink, "  %llu hits came while another was being recorded; they were only counted\n\n",
             (unsigned long long)tracepoint_nested());
    print_to(sink, "debug registers:\n");
    breakpoint_print(sink);
    print_to(sink, "  %llu debug traps came only from registers that were not armed\n\n",
             (unsigned long long)arch_watch_spurious());
}

/* As in perf, a word without * and ? matches anywhere in a name. */
static bool matches(const char *word, const char *name)
{
    return glob_is_pattern(word) ? glob_match(word, name) : strstr(name, word) != NULL;
}

/* True if `word` is perf's name of an event category, and the source's events belong to it. */
static bool is_category(const char *word, const struct event_source *source)
{
    if (strcmp(word, "hw") == 0 || strcmp(word, "hardware") == 0)
        return source->follows;
    if (strcmp(word, "sw") == 0 || strcmp(word, "software") == 0)
        return source->counts_time;
    if (strcmp(word, "breakpoint") == 0)
        return source->watches;
    return source->has_fields && strcmp(word, "tracepoint") == 0;
}

static int list_matching(struct sink *sink, const char *word)
{
    const struct pitot_tracepoint *tracepoint = NULL;
    bool any = false, all = false;

    for (size_t i = 0; i < event_source_count; i++) {
        const struct event_source *source = event_sources[i];

        if (!is_category(word, source) && (!source->name || !matches(word, source->name)))
            continue;
        all |= source->has_fields;
        source->describe(sink);
        any = true;
    }
    while ((tracepoint = tracepoint_after(tracepoint)) != NULL) {
        if (!all && !matches(word, tracepoint->full_name))
            continue;
        print_tracepoint(sink, tracepoint);
        any = true;
    }
    if (any)
        return 0;
    print("perf list: no event matches \"%s\"; `perf list` lists all events\n", word);
    return -ENOENT;
}

int perf_list(int argc, char **argv)
{
    struct sink *sink = command_output();
    int error = 0;

    if (argc == 1)
        list_all(sink);
    for (int i = 1; !error && i < argc; i++)
        error = list_matching(sink, argv[i]);
    return command_interrupted() ? -EINTR : error;
}

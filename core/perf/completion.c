/* SPDX-License-Identifier: BSD-2-Clause */
/* What TAB offers behind `perf`: subcommands, options, and the options' values. Task context. */
#include "core/console/command.h"
#include "core/event/source.h"
#include "core/host.h"
#include "core/lib/string.h"
#include "core/perf/commands.h"
#include "core/perf/option_table.h"
#include "core/script/trace_calls.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"

#define BREAKPOINT "mem:" /* all breakpoints begin with it */

static void report_all(const char *const *words)
{
    for (; *words; words++)
        pitot_word(*words);
}

/* --- Events --- */

static const char *symbol_at(const void *unused, size_t index)
{
    struct symbol symbol;

    (void)unused;
    return symbols_by_name(index, &symbol) ? symbol.name : NULL;
}

static const char *program_symbol_at(const void *table, size_t index)
{
    struct symbol symbol;

    return symbol_table_by_name(table, index, &symbol) ? symbol.name : NULL;
}

/* Completes ACCESS of PLACE:ACCESS; returns false if the colon has not been typed. */
static bool complete_access(const char *place)
{
    static const char *const accesses[] = {"rw", "w", "x", NULL};
    const char *colon = strchr(place, ':');

    if (!colon)
        return false;
    complete_part(colon + 1, false);
    report_all(accesses);
    return true;
}

/* Completes a place in the program at `path`. */
static void complete_in_program(const char *path, const char *place)
{
    static struct refusal why; /* it would take most of the stack */
    const struct pitot_program *program;
    const struct symbol_table *symbols;

    program = host.program_load ? host_program(path, &why) : NULL;
    if (!program || complete_access(place))
        return;
    complete_part(place, false);
    symbols = symbol_table_of(program->symbols);
    complete_sorted(program_symbol_at, symbols, symbols->entry_count);
}

static void complete_place(const char *place)
{
    const char *colon = place[0] == '/' ? strchr(place, ':') : NULL;
    char path[PITOT_PATH_SIZE];

    if (colon && (size_t)(colon - place) < sizeof(path)) {
        memcpy(path, place, (size_t)(colon - place));
        path[colon - place] = '\0';
        complete_in_program(path, colon + 1);
    } else if (place[0] == '/') {
        complete_part(place, false);
        complete_told(PITOT_WORDS_PROGRAMS);
    } else if (!complete_access(place)) {
        complete_part(place, false);
        complete_sorted(symbol_at, NULL, symbols_count());
    }
}

static void report_events(void)
{
    const struct pitot_tracepoint *tracepoint = NULL;

    for (size_t i = 0; i < event_source_count; i++)
        if (event_sources[i]->name)
            pitot_word(event_sources[i]->name);
    while ((tracepoint = tracepoint_after(tracepoint)) != NULL)
        pitot_word(tracepoint->full_name);
}

static void complete_event(const char *word, bool breakpoint)
{
    if (strncmp(word, BREAKPOINT, strlen(BREAKPOINT)) == 0) {
        complete_place(word + strlen(BREAKPOINT));
        return;
    }
    complete_part(word, false);
    if (breakpoint)
        pitot_word(BREAKPOINT);
    else
        report_events();
}

/* --- Options --- */

/* Returns the last item of a list separated by commas. */
static const char *last_of_list(const char *word)
{
    for (const char *comma; (comma = strchr(word, ','));)
        word = comma + 1;
    return word;
}

static void report_calls(void)
{
    const struct pitot_call *call;

    for (unsigned i = 0; (call = trace_call_at(i)) != NULL; i++)
        pitot_word(call->name);
}

static void complete_value(const struct option *option, const char *value)
{
    switch (option->kind) {
    case OPTION_EVENTS:
    case OPTION_BREAKPOINTS:
        complete_event(last_of_list(value), option->kind == OPTION_BREAKPOINTS);
        break;
    case OPTION_CALLS:
        complete_part(last_of_list(value), false);
        report_calls();
        break;
    case OPTION_PID:
        complete_part(value, true);
        complete_told(PITOT_WORDS_THREADS);
        break;
    case OPTION_CHOICE:
        complete_part(value, true);
        report_all(option->choices);
        break;
    case OPTION_CHOICES:
        complete_part(last_of_list(value), false);
        report_all(option->choices);
        break;
    case OPTION_ALWAYS:
    case OPTION_FLAG:
    case OPTION_NUMBER:
    case OPTION_TEXT:
        break;
    }
}

static void report_option_names(const struct options *part)
{
    const char *name = "";

    while ((name = option_after(part, name)) != NULL)
        pitot_word(name);
}

/* Completes the last argument of `perf PART`: an option, a value, or the workload. */
static void complete_part_of_perf(const struct options *part, int argc, char **argv)
{
    const char *word = argv[argc - 1], *previous = argv[argc - 2], *equals = strchr(word, '=');
    const struct option *option = option_find(part, previous, strlen(previous));

    if (strncmp(word, "--", 2) == 0 && equals) {
        option = option_find(part, word, (size_t)(equals - word));
        if (option && option->value)
            complete_value(option, equals + 1);
    } else if (option && option->value) {
        complete_value(option, word);
    } else if (word[0] == '\0' || word[0] == '-') {
        report_option_names(part);
    } else if (part->workload) {
        complete_command(1, argv + argc - 1);
    }
}

void perf_words(int argc, char **argv)
{
    const struct options *part = argc > 2 ? perf_part_find(argv[1], strlen(argv[1])) : NULL;

    if (argc == 2 || (argc == 3 && strcmp(argv[1], "help") == 0))
        for (size_t i = 0; perf_parts[i]; i++)
            pitot_word(perf_parts[i]->name);
    else if (part)
        complete_part_of_perf(part, argc, argv);
}

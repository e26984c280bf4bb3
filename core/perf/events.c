/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of options.h. */
#include "core/perf/options.h"

#include "core/console/habits.h"
#include "core/host.h"
#include "core/lib/glob.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/symbols/symbols.h"

#define BREAKPOINT    "mem:"
#define SYMBOLS_SHOWN 160 /* bytes */

int events_add(struct perf_options *options, const char *event, const struct event_terms *terms,
               struct refusal *why)
{
    struct recording_options *recording = &options->recording;
    int error;

    if (recording->event_count == RECORDING_EVENTS_MAX)
        return refuse(why, EINVAL, "more than %d events in one recording", RECORDING_EVENTS_MAX);
    options->own[recording->event_count] = *terms;
    error = event_spec_parse(event, &recording->events[recording->event_count], why);
    recording->event_count += !error;
    return error;
}

static int refuse_pattern_of_program(const char *event, struct refusal *why)
{
    const char *place = strchr(event + strlen(BREAKPOINT), ':');
    const char *end = place ? strchr(place + 1, ':') : NULL;
    int length = (int)(place ? (size_t)(place - event) : strlen(event));

    return refuse(why, EINVAL,
                  "%s: * and ? stand for tracepoints, not for symbols; write each, up to four: "
                  "%.*s:SYMBOL%s",
                  event, length, event, end ? end : "");
}

/* Patterns are for tracepoints: symbols take one register each. */
static int refuse_pattern_of_symbols(const char *event, struct refusal *why)
{
    const char *first = event + strlen(BREAKPOINT);
    size_t length = 0;
    char pattern[EVENT_NAME_SIZE], text[SYMBOLS_SHOWN];
    struct words names = words_begin(text, sizeof(text));
    struct symbol symbol;

    if (*first == '/')
        return refuse_pattern_of_program(event, why);
    while (first[length] != '\0' && !strchr(":/+-", first[length]))
        length++;
    print_into(pattern, sizeof(pattern), "%.*s", (int)length, first);
    for (size_t i = 0; !names.cut && symbols_by_name(i, &symbol); i++)
        if (glob_match(pattern, symbol.name))
            words_add(&names, "mem:%s%s", symbol.name, first + length);
    return refuse(why, EINVAL,
                  "%s: * and ? stand for tracepoints, not for symbols; write each, up to four: %s",
                  event,
                  text[0]      ? text
                  : own_kernel ? "mem:SYMBOL:x, with TAB for its name"
                               : "mem:SYMBOL:x");
}

static int add_matching(struct perf_options *options, const char *pattern,
                        const struct event_terms *terms, struct refusal *why)
{
    struct pitot_tracepoint *tracepoint = NULL;
    bool any = false;
    int error = 0;

    while (!error && (tracepoint = tracepoint_after(tracepoint)) != NULL) {
        if (!glob_match(pattern, tracepoint->full_name))
            continue;
        any = true;
        error = events_add(options, tracepoint->full_name, terms, why);
    }
    if (!error && !any)
        return refuse(why, ENOENT, "no tracepoint matches \"%s\"; `perf list` lists them", pattern);
    return error;
}

static bool is_subsystem(const char *event)
{
    const char *colon = strchr(event, ':');

    return colon && colon > event && colon[1] == '\0' && strcmp(event, "mem:") != 0;
}

static int add_event(struct perf_options *options, const char *event,
                     const struct event_terms *terms, struct refusal *why)
{
    char pattern[EVENT_NAME_SIZE];

    if (glob_is_pattern(event) && strncmp(event, BREAKPOINT, strlen(BREAKPOINT)) == 0)
        return refuse_pattern_of_symbols(event, why);
    if (glob_is_pattern(event))
        return add_matching(options, event, terms, why);
    /* `lock:` is short for `lock:*`; a subsystem longer than any event name is rejected below */
    if (is_subsystem(event) && strlen(event) + sizeof("*") <= sizeof(pattern)) {
        print_into(pattern, sizeof(pattern), "%s*", event);
        return add_matching(options, pattern, terms, why);
    }
    return events_add(options, event, terms, why);
}

/* perf's names mean something else only where the kernel has no event of such a name. */
static int refuse_habit(int error, const char *event, struct refusal *why)
{
    const char *const typed[] = {"-e", event};
    char answer[HABIT_ANSWER];

    if (!habit_answer(typed, 2, NULL, answer, sizeof(answer)))
        return error;
    return refuse(why, EINVAL, "unknown event \"%s\": %s", event, answer);
}

static int parse_event(struct perf_options *options, char *event, struct refusal *why)
{
    struct event_terms terms = {.period = 0};
    unsigned before = options->recording.event_count;
    int error = terms_parse(event, &terms, why);

    if (error)
        return error;
    error = add_event(options, event, &terms, why);
    /* in other cases the event was known, or there was no room for one */
    if (error && options->recording.event_count == before && before < RECORDING_EVENTS_MAX)
        return refuse_habit(error, event, why);
    return error;
}

/*
 * Returns the comma that ends the first event of a list, or NULL. Commas between terms do not
 * count. Terms are enclosed in slashes, and the second slash ends the event. Unlike the slash of a
 * breakpoint's length, the first slash is followed by a letter; unlike slashes of a program's path,
 * the two have no colon between them.
 */
static char *event_end(char *list)
{
    char *comma = strchr(list, ','), *close = comma ? strchr(comma, '/') : NULL, *open = comma;

    if (!close || (close[1] != ',' && close[1] != '\0'))
        return comma;
    while (open > list && *open != '/')
        open--;
    if (*open != '/' || open[1] < 'a' || open[1] > 'z')
        return comma;
    for (const char *at = open; at < close; at++)
        if (*at == ':')
            return comma;
    return close[1] ? close + 1 : NULL;
}

int events_set(void *at, const char *typed, char *value, struct refusal *why)
{
    struct perf_options *options = at;
    char *list = value;

    (void)typed;
    options->last = options->recording.event_count;
    if (*value == '{')
        return refuse(
            why, EINVAL,
            "%s: no groups are needed, as all events count at the same time: -e EVENT,EVENT",
            value);
    while (list) {
        char *end = event_end(list);
        int error;

        if (end)
            *end++ = '\0';
        error = parse_event(options, list, why);
        if (error)
            return error;
        list = end;
    }
    return 0;
}

/* Returns the events that the last event option added, and stores their number in *count. */
static struct event_spec *last_events(struct perf_options *options, unsigned *count)
{
    struct recording_options *recording = &options->recording;

    *count = recording->event_count - options->last;
    return recording->events + options->last;
}

int events_set_marked(void *at, const char *typed, char *value, struct refusal *why)
{
    bool trigger = strcmp(typed, "--trigger") == 0;
    int error = events_set(at, typed, value, why);
    unsigned count;
    struct event_spec *events = last_events(at, &count);

    for (unsigned i = 0; !error && i < count; i++) {
        events[i].trigger = trigger;
        events[i].start = !trigger;
    }
    return error;
}

int events_set_span(void *at, const char *typed, char *value, struct refusal *why)
{
    int error = events_set(at, typed, value, why);
    unsigned count;
    struct event_spec *events = last_events(at, &count);

    return error ? error : span_option_mark(events, count, typed, why);
}

int events_set_filter(void *at, const char *typed, char *value, struct refusal *why)
{
    unsigned count;
    struct event_spec *events = last_events(at, &count);
    int error = 0;

    if (count == 0)
        return refuse(why, EINVAL, "%s must come after the -e EVENT that it is for", typed);
    for (unsigned i = 0; !error && i < count; i++) {
        if (!events[i].source->has_fields && !own_kernel)
            return refuse(why, EINVAL, "--filter: %s is not a tracepoint and has no fields",
                          events[i].name);
        if (!events[i].source->has_fields)
            return refuse(why, EINVAL,
                          "--filter: %s is not a tracepoint and has no fields; its hits have "
                          "fields: -e %s -e breakpoint:hit --filter '%s'",
                          events[i].name, events[i].name, value);
        error = filter_add(&events[i].filter, value, tracepoint_by_id(events[i].attr.config), why);
    }
    return error;
}

int events_set_aggregate(void *at, const char *typed, char *value, struct refusal *why)
{
    unsigned count;
    struct event_spec *events = last_events(at, &count);

    return aggregate_option_parse(events, count, typed, value, why);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See event.h. */
#include "outside/pitot/event.h"

#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/glob.h"
#include "core/lib/number.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/place.h"

#define PERIOD_INSTRUCTIONS 100000
#define PERIOD_HITS         1
#define TEXT_MOST           4096 /* characters of an event: a perf record has less than 64 KiB */

static const char memory[] = "mem:", calls[] = "call:", returns[] = "return:",
                  instructions[] = "instructions", interrupts[] = "irq", cold[] = ".cold";

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* EVENT/period=N/ */
static const struct option term_rows[] = {
    OPTION({"period"}, "N", 0, OPTION_NUMBER, "", .least = 1, OPTION_AT(struct event, period)),
    {.names = {NULL}},
};
static const struct options terms = {.row = term_rows};

/* --- mem:PLACE[/LEN][:r|w|rw] --- */

static int read_access(struct event *event, char *text, struct refusal *why)
{
    char *colon = strrchr(text, ':');

    event->access = WIRE_READ | WIRE_WRITE;
    if (!colon || (colon > text && colon[-1] == ':')) /* as in a C++ name */
        return 0;
    *colon++ = '\0';
    event->access = place_access(colon, strlen(colon));
    if (event->access == HW_BREAKPOINT_X)
        return refuse(why, EINVAL,
                      "event \"%s\": access \"x\": r, w, rw are allowed; call:%s counts calls",
                      event->name, text);
    return event->access && event->access <= (WIRE_READ | WIRE_WRITE)
               ? 0
               : refuse(why, EINVAL, "event \"%s\": access \"%s\": r, w, rw are allowed",
                        event->name, colon);
}

static int read_memory(struct event *event, const struct kernel *kernel, char *text,
                       struct refusal *why)
{
    struct place_range range;
    int error = read_access(event, text, why);

    if (!error)
        error = place_read_range(text, kernel, 0, &range, why);
    if (error)
        return error;
    event->address = range.address;
    event->length = range.length;
    event->fixed = range.fixed;
    return 0;
}

/* --- call:GLOB, return:GLOB --- */

/*
 * In newer names of Rust a method is <crate::Type>::method, and a function of types
 * function::<u8>. Writes the name as it was in older ones.
 */
static void write_older(const char *name, char older[TEXT_MOST + 1])
{
    size_t length = 0, depth = 0, skipped = 0;
    bool inherent = *name == '<' && !strstr(name, " as ");

    for (; *name && length < TEXT_MOST; name++) {
        bool arrow = *name == '>' && length > 0 && name[-1] == '-';

        if (strncmp(name, "::<", 3) == 0 && !skipped) {
            skipped = ++depth;
            name += 2;
        } else if (*name == '<') {
            depth++;
            if (!skipped && !(inherent && depth == 1))
                older[length++] = *name;
        } else if (*name == '>' && !arrow && depth > 0) {
            if (!skipped && !(inherent && depth == 1))
                older[length++] = *name;
            skipped = skipped == depth ? 0 : skipped;
            depth--;
        } else if (!skipped) {
            older[length++] = *name;
        }
    }
    older[length] = '\0';
}

static bool matches(const char *pattern, const struct symbol *symbol)
{
    char older[TEXT_MOST + 1];

    if (glob_match(pattern, symbol->name))
        return true;
    if (!elf_symbols_is_readable(symbol) || (*symbol->name != '<' && !strstr(symbol->name, "::<")))
        return false;
    write_older(symbol->name, older);
    return glob_match(pattern, older);
}

/* Refuses a pattern: perhaps the name has more at one of its ends. */
static int refuse_pattern(const char *pattern, const struct kernel *kernel, struct refusal *why)
{
    char wider[TEXT_MOST + 3], *end;
    struct symbol symbol;

    if (!glob_is_pattern(pattern))
        return place_refuse_name("function", pattern, kernel, why);
    snprintf(wider, sizeof(wider), "*%s", pattern + strspn(pattern, "*"));
    for (end = wider + strlen(wider); end > wider + 1 && end[-1] == '*'; end--)
        ;
    strcpy(end, "*");
    for (size_t i = 0; elf_symbols_function(i, &symbol); i++)
        if (end > wider + 1 && matches(wider, &symbol))
            return refuse(why, ENOENT, "no function \"%s\"; near: %s", pattern, wider);
    return place_refuse_name("function", pattern, kernel, why);
}

/* gcc moves unlikely code out of functions: that is jumped to, and no function. */
static bool is_cold_part(const char *name)
{
    return strstr(name, cold);
}

static int read_calls(struct event *event, const struct kernel *kernel, const char *pattern,
                      struct refusal *why)
{
    struct symbol symbol;
    size_t total = 0;

    while (elf_symbols_function(total, &symbol))
        total++;
    event->entries = calloc(total + 1, sizeof(*event->entries));
    if (!event->entries)
        return refuse(why, ENOMEM, "out of memory");
    for (size_t i = 0; elf_symbols_function(i, &symbol); i++) {
        size_t count = event->entry_count;
        if (is_cold_part(symbol.name) && !is_cold_part(pattern))
            continue;
        if (matches(pattern, &symbol) &&
            (count == 0 || event->entries[count - 1] != symbol.address))
            event->entries[event->entry_count++] = symbol.address;
    }
    event->address = event->entries[0];
    return event->entry_count ? 0 : refuse_pattern(pattern, kernel, why);
}

static bool read_vector(const char **at, unsigned *vector)
{
    uint64_t number;

    if (number_read(at, number_base(at), VECTOR_MOST, &number) != NUMBER_READ)
        return false;
    *vector = (unsigned)number;
    return true;
}

/* Reads nothing, :N or :N-N. */
static int read_vectors(struct event *event, const char *text, struct refusal *why)
{
    const char *at = text + 1;

    event->vector_last = VECTOR_MOST;
    if (*text == '\0')
        return 0;
    if (*text == ':' && read_vector(&at, &event->vector_first)) {
        event->vector_last = event->vector_first;
        if (*at == '\0' || (*at++ == '-' && read_vector(&at, &event->vector_last) && !*at &&
                            event->vector_first <= event->vector_last))
            return 0;
    }
    return refuse(why, EINVAL, "event \"%s%s\": a vector or a range, as in irq:14, irq:0x20-0x2f",
                  interrupts, text);
}

/* --- All events --- */

static int read_event(struct event *event, const struct pitot_options *options,
                      const struct kernel *kernel, char *text, struct refusal *why)
{
    size_t length = strlen(text);
    int error;

    if (length > TEXT_MOST)
        return refuse(why, EINVAL, "event \"%.25s...\": %zu characters; up to %d are allowed", text,
                      length, TEXT_MOST);
    error = options_read_terms(&terms, text, event, why);
    if (error)
        return error;
    event->name = strdup(text);
    if (begins(text, memory)) {
        event->kind = EVENT_MEMORY;
        error = read_memory(event, kernel, text + strlen(memory), why);
    } else if (begins(text, calls)) {
        event->kind = EVENT_CALLS;
        error = read_calls(event, kernel, text + strlen(calls), why);
    } else if (begins(text, returns)) {
        event->kind = EVENT_RETURNS;
        error = read_calls(event, kernel, text + strlen(returns), why);
    } else if (begins(text, interrupts) && strchr(":", text[strlen(interrupts)])) {
        event->kind = EVENT_INTERRUPTS;
        error = read_vectors(event, text + strlen(interrupts), why);
    } else if (strcmp(text, instructions) != 0) {
        return refuse(why, EINVAL, "unknown event \"%s\": %s", text, EVENT_FORMS);
    }
    if (!event->period)
        event->period = options->period;
    if (!event->period)
        event->period = event->kind == EVENT_INSTRUCTIONS ? PERIOD_INSTRUCTIONS : PERIOD_HITS;
    return error;
}

/* Returns the comma before the next event; NULL: none. */
static char *end_of_event(char *text)
{
    char *comma = text;

    while ((comma = strchr(comma, ',')) != NULL) {
        char *next = comma + 1;
        if (begins(next, memory) || begins(next, calls) || begins(next, returns) ||
            begins(next, instructions) || begins(next, interrupts))
            return comma;
        comma = next;
    }
    return NULL;
}

/* Reads the events of one -e or one --trigger. */
static int read_spelt(struct events *events, const struct pitot_options *options,
                      const struct kernel *kernel, char *text, struct refusal *why)
{
    while (text) {
        char *comma = end_of_event(text);
        int error;

        if (comma)
            *comma = '\0';
        if (events->count == EVENTS_MOST)
            return refuse(why, EINVAL, "more than %u events", EVENTS_MOST);
        error = read_event(&events->event[events->count++], options, kernel, text, why);
        if (error)
            return error;
        text = comma ? comma + 1 : NULL;
    }
    return 0;
}

static int read_stops(struct events *events, const struct pitot_options *options,
                      const struct kernel *kernel, struct refusal *why)
{
    unsigned first = events->count;

    for (unsigned i = 0; i < options->stop.count; i++) {
        int error = read_spelt(events, options, kernel, options->stop.text[i], why);
        if (error)
            return error;
    }
    for (unsigned i = first; i < events->count; i++) {
        struct event *event = &events->event[i];

        if (event->kind != EVENT_MEMORY && event->kind != EVENT_CALLS)
            return refuse(why, EINVAL,
                          "--trigger %s: mem:ADDR[/LEN][:r|w|rw], call:GLOB are allowed",
                          event->name);
        event->stops = true;
        event->period = 1;
    }
    return 0;
}

static int read_border(const char *option, char *name, const struct kernel *kernel, uint64_t *entry,
                       struct refusal *why)
{
    struct place_range range;
    struct symbol symbol;
    int error = name ? place_read_range(name, kernel, 0, &range, why) : 0;

    if (error || !name)
        return error;
    *entry = range.address;
    if (!symbols_find_address(*entry, &symbol) || symbol.address != *entry)
        return refuse(why, EINVAL, "%s %s: no function begins there", option, name);
    return 0;
}

int events_read(struct events *events, const struct pitot_options *options,
                const struct kernel *kernel, struct refusal *why)
{
    char everything[] = "instructions";
    int error = 0;

    *events = (struct events){.count = 0};
    if (options->events.count == 0)
        error = read_event(&events->event[events->count++], options, kernel, everything, why);
    for (unsigned i = 0; i < options->events.count && !error; i++)
        error = read_spelt(events, options, kernel, options->events.text[i], why);
    if (!error)
        error = read_stops(events, options, kernel, why);
    if (!error)
        error = read_border("--start", options->from, kernel, &events->from, why);
    if (!error)
        error = read_border("--until", options->until, kernel, &events->until, why);
    if (!error && events->from && events->from == events->until)
        error =
            refuse(why, EINVAL, "--until %s is also --start; nothing lies between", options->until);
    return error;
}

bool events_have(const struct events *events, enum event_kind kind)
{
    for (unsigned i = 0; i < events->count; i++)
        if (events->event[i].kind == kind)
            return true;
    return false;
}

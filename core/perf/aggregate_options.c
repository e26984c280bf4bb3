/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that aggregate hits (core/aggregate/aggregate.h), for the events of the preceding -e:
 *
 *   --by comm|cpu|caller|FIELD   hits per value; with --hist a histogram per value
 *   --hist FIELD                 hits per range of values, from one power of two to the next
 *
 * Options for a span of time between two events (core/aggregate/aggregate.h):
 *
 *   --from EVENT   its hits begin the span
 *   --to EVENT     its hits end the span; a --by after it groups the times
 *   --key FIELD    both hits have the same thread and the same value in this field; the default
 *                  is the first pointer field that both events have under the same name, if any
 */
#include "core/perf/options.h"

#include "core/host.h"
#include "core/lib/string.h"
#include "core/tracepoint/field.h"

#define FIELDS_SHOWN 160 /* characters of field names in an error message */

/* What --by takes besides fields. */
static const struct {
    const char *word;
    enum aggregate_by by;
} by_words[] = {
    {"comm", AGGREGATE_BY_COMM}, {"cpu", AGGREGATE_BY_CPU}, {"caller", AGGREGATE_BY_CALLER}};
#define BY_WORDS (sizeof(by_words) / sizeof(by_words[0]))

static int check_hits(const struct event_spec *event, const char *option, struct refusal *why)
{
    if (!event->source->has_fields && !event->source->watches)
        return refuse(
            why, EINVAL,
            "%s: %s is neither a tracepoint nor a breakpoint; only their hits can be grouped",
            option, event->name);
    if (event->aggregate.role == AGGREGATE_BEGINS)
        return refuse(why, EINVAL, "%s: %s begins spans; --by must come after --to EVENT", option,
                      event->name);
    if (event->start)
        return refuse(why, EINVAL,
                      "%s: %s opens windows; to group its hits, give it with -e as well", option,
                      event->name);
    return 0;
}

/* `by`: words that --by takes besides fields are listed first. */
static int refuse_field(const struct event_spec *event, const char *option, const char *name,
                        bool by, struct refusal *why)
{
    char text[FIELDS_SHOWN];
    struct words names = words_begin(text, sizeof(text));

    for (unsigned i = 0; by && i < BY_WORDS; i++)
        words_add(&names, "%s", by_words[i].word);
    field_names_add(tracepoint_of_event(&event->attr), &names);
    words_add(&names, "common_*");
    return refuse(why, EINVAL, "%s: %s has no field \"%s\"; there are %s", option, event->name,
                  name, text);
}

/* Returns the field of that name, or NULL and the reason. */
static const struct pitot_field *find_field(const struct event_spec *event, const char *option,
                                            const char *name, struct refusal *why)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_of_event(&event->attr);
    bool by = strcmp(option, "--by") == 0;
    const struct pitot_field *field;

    if (!tracepoint && !own_kernel) {
        refuse(why, EINVAL, "%s %s: %s is not a tracepoint and has no fields%s", option, name,
               event->name, by ? ", only comm, cpu and caller" : "");
        return NULL;
    }
    if (!tracepoint) {
        refuse(why, EINVAL,
               "%s %s: %s is not a tracepoint and has no fields%s; its hits have fields: -e %s -e "
               "breakpoint:hit %s %s",
               option, name, event->name, by ? ", only comm, cpu and caller" : "", event->name,
               option, name);
        return NULL;
    }
    field = field_find(tracepoint, name, strlen(name));
    if (!field)
        refuse_field(event, option, name, by, why);
    return field;
}

static int parse_hist(struct event_spec *event, const char *option, const char *name,
                      struct refusal *why)
{
    const struct pitot_field *field = find_field(event, option, name, why);

    if (!field)
        return -EINVAL;
    if (event->aggregate.role)
        return refuse(why, EINVAL, "%s: %s ends spans, and their histogram is always of times",
                      option, event->name);
    if (field->kind == TRACEPOINT_text)
        return refuse(why, EINVAL, "%s: %s is a string; --by %s counts hits per value", option,
                      name, name);
    event->aggregate.value = field_place_of(tracepoint_of_event(&event->attr), field);
    event->aggregate.value_field = field;
    return 0;
}

static int parse_by(struct event_spec *event, const char *option, const char *word,
                    struct refusal *why)
{
    const struct pitot_field *field;

    event->aggregate.method = unwind_default();
    event->aggregate.key = (struct field_place){0}; /* clears an earlier --by */
    event->aggregate.key_field = NULL;
    for (unsigned i = 0; i < BY_WORDS; i++)
        if (strcmp(word, by_words[i].word) == 0) {
            event->aggregate.by = by_words[i].by;
            if (by_words[i].by != AGGREGATE_BY_CALLER || unwind_possible(event->aggregate.method))
                return 0;
            return refuse(
                why, EINVAL,
                "--by caller: this kernel cannot make call chains; a message at boot says why");
        }
    field = find_field(event, option, word, why);
    if (!field)
        return -EINVAL;
    event->aggregate.by = AGGREGATE_BY_FIELD;
    event->aggregate.key = field_place_of(tracepoint_of_event(&event->attr), field);
    event->aggregate.key_field = field;
    return 0;
}

int aggregate_option_parse(struct event_spec *events, unsigned count, const char *option,
                           const char *value, struct refusal *why)
{
    bool by = strcmp(option, "--by") == 0;
    int error = 0;

    if (count == 0)
        return refuse(why, EINVAL, "%s must come after the -e EVENT that it is for", option);
    for (unsigned i = 0; !error && i < count; i++) {
        error = check_hits(&events[i], option, why);
        if (!error)
            error = by ? parse_by(&events[i], option, value, why)
                       : parse_hist(&events[i], option, value, why);
    }
    return error;
}

int span_option_mark(struct event_spec *events, unsigned count, const char *option,
                     struct refusal *why)
{
    if (count != 1)
        return refuse(why, EINVAL, "%s: one event is allowed, not the %u from %s on", option, count,
                      events[0].name);
    if (!events[0].source->has_fields && !events[0].source->watches)
        return refuse(why, EINVAL, "%s: %s is neither a tracepoint nor a breakpoint", option,
                      events[0].name);
    events[0].aggregate.role = strcmp(option, "--from") == 0 ? AGGREGATE_BEGINS : AGGREGATE_ENDS;
    return 0;
}

/* Returns the only event with this role, or NULL. */
static struct event_spec *find_role(struct event_spec *events, unsigned count,
                                    enum aggregate_role role)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].aggregate.role == role)
            return &events[i];
    return NULL;
}

/*
 * Returns the first field that is a pointer in both tracepoints, or NULL. Skips late arguments,
 * which are expensive to find.
 */
static const char *common_pointer(const struct pitot_tracepoint *from,
                                  const struct pitot_tracepoint *to)
{
    for (unsigned i = 0; from && to && i < from->field_count; i++) {
        const char *name = from->field[i].name;
        const struct pitot_field *other = field_find(to, name, strlen(name));

        if (from->field[i].kind == TRACEPOINT_pointer && other &&
            other->kind == TRACEPOINT_pointer && !field_place_of(from, &from->field[i]).late &&
            !field_place_of(to, other).late)
            return name;
    }
    return NULL;
}

static int set_key(struct event_spec *event, const char *key, struct refusal *why)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_of_event(&event->attr);
    const struct pitot_field *field = tracepoint ? field_find(tracepoint, key, strlen(key)) : NULL;

    if (!tracepoint)
        return refuse(why, EINVAL,
                      "--key: %s has no fields; leave --key out to match hits by thread",
                      event->name);
    if (!field)
        return refuse_field(event, "--key", key, false, why);
    if (field->kind == TRACEPOINT_text)
        return refuse(why, EINVAL, "--key: %s is a string; a key must be a number or a pointer",
                      key);
    event->aggregate.span = field_place_of(tracepoint, field);
    event->aggregate.span_field = field;
    return 0;
}

int span_options_choose(struct event_spec *events, unsigned count, const char *key,
                        struct refusal *why)
{
    struct event_spec *from = find_role(events, count, AGGREGATE_BEGINS);
    struct event_spec *to = find_role(events, count, AGGREGATE_ENDS);
    int error = 0;

    if (!from && !to)
        return key ? refuse(why, EINVAL, "--key needs --from EVENT and --to EVENT") : 0;
    if (!to)
        return refuse(why, EINVAL, "--from %s: add --to EVENT, where the time ends", from->name);
    if (!from)
        return refuse(why, EINVAL, "--to %s: add --from EVENT, where the time begins", to->name);
    if (!key)
        key = common_pointer(tracepoint_of_event(&from->attr), tracepoint_of_event(&to->attr));
    if (key)
        error = set_key(from, key, why);
    if (key && !error)
        error = set_key(to, key, why);
    return error;
}

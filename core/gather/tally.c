/* SPDX-License-Identifier: BSD-2-Clause */
/* See tally.h. */
#include "core/gather/tally.h"

#include "core/lib/string.h"
#include "core/tracepoint/field.h"

#define FIELDS_SHOWN 100 /* characters of their names, in a refusal */

/* Hits are what a tally has; time and steps are none. */
static int check_hits(const struct event_spec *event, const char *option, struct refusal *why)
{
    if (!event->source->has_fields && !event->source->watches)
        return refuse(
            why, EINVAL,
            "%s: %s is neither a tracepoint nor a breakpoint; only their hits can be told apart",
            option, event->name);
    if (event->tally.role == TALLY_BEGINS)
        return refuse(why, EINVAL, "%s: %s begins spans; --by must come after --to EVENT", option,
                      event->name);
    if (event->start)
        return refuse(why, EINVAL,
                      "%s: %s opens windows; to tell its hits apart, give it with -e as well",
                      option, event->name);
    return 0;
}

/* The field of that name; NULL and the reason. */
static const struct tracepoint_field *find_field(const struct event_spec *event, const char *option,
                                                 const char *name, struct refusal *why)
{
    const struct tracepoint *tracepoint = tracepoint_of_event(&event->attr);
    const char *also = strcmp(option, "--by") == 0 ? "comm, cpu, caller, " : "";
    const struct tracepoint_field *field;
    char names[FIELDS_SHOWN];

    if (!tracepoint) {
        refuse(why, EINVAL,
               "%s %s: %s is not a tracepoint and has no fields%s; its hits have fields: -e %s -e "
               "breakpoint:hit %s %s",
               option, name, event->name, *also ? ", only comm, cpu and caller" : "", event->name,
               option, name);
        return NULL;
    }
    field = field_find(tracepoint, name, strlen(name));
    if (!field)
        refuse(why, EINVAL, "%s: %s has no field \"%s\"; there are %s%scommon_*", option,
               event->name, name, also, field_names(tracepoint, names, sizeof(names)));
    return field;
}

static int parse_hist(struct event_spec *event, const char *option, const char *name,
                      struct refusal *why)
{
    const struct tracepoint_field *field = find_field(event, option, name, why);

    if (!field)
        return -EINVAL;
    if (event->tally.role)
        return refuse(why, EINVAL, "%s: %s ends spans, and their histogram is always of times",
                      option, event->name);
    if (field->kind == TRACEPOINT_text)
        return refuse(why, EINVAL, "%s: %s is a text; --by %s counts how often each one came",
                      option, name, name);
    event->tally.value = field_place_of(tracepoint_of_event(&event->attr), field);
    event->tally.value_field = field;
    return 0;
}

static int parse_by(struct event_spec *event, const char *option, const char *word,
                    struct refusal *why)
{
    static const struct {
        const char *word;
        enum tally_by by;
    } words[] = {{"comm", TALLY_BY_COMM}, {"cpu", TALLY_BY_CPU}, {"caller", TALLY_BY_CALLER}};
    const struct tracepoint_field *field;

    event->tally.method = unwind_default();
    event->tally.key = (struct field_place){0}; /* of an earlier --by */
    event->tally.key_field = NULL;
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i].word) == 0) {
            event->tally.by = words[i].by;
            if (words[i].by != TALLY_BY_CALLER || unwind_possible(event->tally.method))
                return 0;
            return refuse(
                why, EINVAL,
                "--by caller: this kernel cannot make call chains; a message at boot says why");
        }
    field = find_field(event, option, word, why);
    if (!field)
        return -EINVAL;
    event->tally.by = TALLY_BY_FIELD;
    event->tally.key = field_place_of(tracepoint_of_event(&event->attr), field);
    event->tally.key_field = field;
    return 0;
}

int tally_option_parse(struct event_spec *events, unsigned count, const char *option,
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

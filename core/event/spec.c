/* SPDX-License-Identifier: BSD-2-Clause */
/* The spelling of events: see spec.h, and source.h for its parts. */
#include "core/event/spec.h"

#include <linux/perf_event.h>

#include "core/host.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/symbols/nearest.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"

#define NEAREST_MAX 3

/* --- Parts of a spelling. --- */

/* Lists what each source takes, for refusals. */
static const char *spelling_possible(void)
{
    static char text[160];
    struct words list = words_begin(text, sizeof(text));

    for (size_t i = 0; i < event_source_count; i++) {
        const struct event_source *source = event_sources[i];

        const char *spelt =
            own_kernel || !source->spelt_embedded ? source->spelt : source->spelt_embedded;

        if (*spelt)
            words_add(&list, "%s", spelt);
    }
    return text;
}

bool spelling_is_digit(char character)
{
    return number_digit(character, 10) >= 0;
}

static bool is_name_character(char character)
{
    return spelling_is_digit(character) || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') ||
           (character != '\0' && strchr("_.$@", character));
}

size_t spelling_word_length(const char *text)
{
    size_t length = 0;

    while (is_name_character(text[length]))
        length++;
    return length;
}

int spelling_refuse_missing(const struct spelling *cursor, const char *what)
{
    if (*cursor->at == '\0')
        return refuse(cursor->why, EINVAL, "%s missing at the end: %s", what, spelling_possible());
    return refuse(cursor->why, EINVAL, "%s missing before \"%s\": %s", what, cursor->at,
                  spelling_possible());
}

/*
 * Returns true if the word here consists of `letters`, each at most once; stores the sum of their
 * `bits` in *sum.
 */
static bool spelling_letters(struct spelling *cursor, const char *letters, const uint32_t *bits,
                             uint32_t *sum)
{
    size_t length = spelling_word_length(cursor->at);

    *sum = 0;
    for (size_t i = 0; i < length; i++) {
        const char *letter = strchr(letters, cursor->at[i]);
        if (!letter || (*sum & bits[letter - letters]))
            return false;
        *sum |= bits[letter - letters];
    }
    cursor->at += length;
    return length > 0;
}

int spelling_modifiers(struct spelling *cursor, const char *else_is, struct perf_event_attr *attr)
{
    enum { USER = 1, KERNEL = 2 };
    static const uint32_t bits[] = {USER, KERNEL};
    uint32_t where;

    if (*cursor->at != ':')
        return spelling_end(cursor);
    cursor->at++;
    if (!spelling_letters(cursor, "uk", bits, &where))
        return refuse(cursor->why, EINVAL, "\"%s\" is %s (u, k)", cursor->at, else_is);
    attr->exclude_user = !(where & USER);
    attr->exclude_kernel = !(where & KERNEL);
    return spelling_end(cursor);
}

int spelling_end(const struct spelling *cursor)
{
    if (*cursor->at == '\0')
        return 0;
    return refuse(cursor->why, EINVAL, "unexpected \"%s\" after the event: %s", cursor->at,
                  spelling_possible());
}

bool spelling_skip(struct spelling *cursor, const char *prefix)
{
    bool found = strncmp(cursor->at, prefix, strlen(prefix)) == 0;

    if (found)
        cursor->at += strlen(prefix);
    return found;
}

bool spelling_skip_name(struct spelling *cursor, const char *name)
{
    const char *start = cursor->at;

    if (spelling_skip(cursor, name) && (*cursor->at == '\0' || *cursor->at == ':'))
        return true;
    cursor->at = start;
    return false;
}

/* --- What to write in place of an event that does not exist. --- */

/* A symbol alone, or after a prefix of perf's, as in probe:fs_read, is what mem: watches. */
static int refuse_symbol(const char *spelling, const char *name, struct refusal *why)
{
    size_t length = spelling_word_length(name), count;
    char word[SPELLING_LIST];
    struct symbol symbol;
    int error;

    if (length == 0 || length >= sizeof(word))
        return 0;
    memcpy(word, name, length);
    word[length] = '\0';
    error = symbols_find_name(word, &symbol, &count);
    if (error && error != -EEXIST)
        return 0;
    if (symbol.kind == 't' || symbol.kind == 'T')
        return refuse(why, EINVAL, "unknown event \"%s\"; for calls of the function: mem:%s:x",
                      spelling, word);
    return refuse(why, EINVAL, "unknown event \"%s\"; for accesses to the variable: mem:%s:rw",
                  spelling, word);
}

static const char *full_name_at(const void *of, size_t index)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_by_id(index + 1);

    (void)of;
    return tracepoint ? tracepoint->full_name : NULL;
}

static const char *name_at(const void *of, size_t index)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_by_id(index + 1);

    (void)of;
    return tracepoint ? tracepoint->name : NULL;
}

bool event_near_tracepoints(const char *wrong, char *near, size_t size)
{
    size_t nearest[NEAREST_MAX];
    size_t count = nearest_find(wrong, strchr(wrong, ':') ? full_name_at : name_at, NULL, nearest,
                                NEAREST_MAX);
    struct words list = words_begin(near, size);

    for (size_t i = 0; i < count; i++)
        words_add(&list, "%s", tracepoint_by_id(nearest[i] + 1)->full_name);
    return count > 0;
}

/* Lists the events of the symbols nearest to `word`. */
static bool near_symbols(const char *word, char *near, size_t size)
{
    struct symbol nearest[NEAREST_MAX];
    size_t count = symbols_suggest(word, nearest, NEAREST_MAX);
    struct words list = words_begin(near, size);

    for (size_t i = 0; i < count; i++)
        words_add(&list, "mem:%s", nearest[i].name);
    return count > 0;
}

int event_refuse_unknown(const char *spelling, struct refusal *why)
{
    const char *colon = strchr(spelling, ':'), *word = colon ? colon + 1 : spelling;
    char near[SPELLING_LIST];
    int error = refuse_symbol(spelling, spelling, why);

    if (!error && colon)
        error = refuse_symbol(spelling, word, why);
    if (error)
        return error;
    if (event_near_tracepoints(spelling, near, sizeof(near)) ||
        near_symbols(word, near, sizeof(near)))
        return refuse(why, EINVAL, "unknown event \"%s\"; near: %s%s", spelling, near,
                      own_kernel ? "; `perf list` lists all" : "");
    return refuse(why, EINVAL, "unknown event \"%s\": %s", spelling, spelling_possible());
}

int event_spec_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    if (strlen(spelling) >= sizeof(spec->name))
        return refuse(why, EINVAL, "the event has %zu characters; at most %zu are allowed",
                      strlen(spelling), sizeof(spec->name) - 1);
    for (size_t i = 0; i < event_source_count; i++) {
        int error;

        *spec = (struct event_spec){.attr.size = sizeof(spec->attr), .source = event_sources[i]};
        memcpy(spec->name, spelling, strlen(spelling));
        error = spec->source->parse(spelling, spec, why);
        if (error != EVENT_IS_ANOTHERS)
            return error;
    }
    return event_refuse_unknown(spelling, why);
}

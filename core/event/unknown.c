/* SPDX-License-Identifier: BSD-2-Clause */
/* See unknown.h. */
#include "core/event/unknown.h"

#include "core/event/own_kernel.h"
#include "core/event/spelling.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/symbols/nearest.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"

#define NEAREST_MAX 3

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
    const struct tracepoint *tracepoint = tracepoint_by_id(index + 1);

    (void)of;
    return tracepoint ? tracepoint->full_name : NULL;
}

static const char *name_at(const void *of, size_t index)
{
    const struct tracepoint *tracepoint = tracepoint_by_id(index + 1);

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

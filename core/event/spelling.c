/* SPDX-License-Identifier: BSD-2-Clause */
/* See spelling.h. */
#include "core/event/spelling.h"

#include <linux/perf_event.h>

#include "core/event/own_kernel.h"
#include "core/event/source.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/lib/words.h"

const char *spelling_possible(void)
{
    static char text[160];
    struct words list = words_begin(text, sizeof(text));

    for (size_t i = 0; i < event_source_count; i++) {
        const struct event_source *source = event_sources[i];

        words_add(&list, "%s",
                  own_kernel || !source->spelt_embedded ? source->spelt : source->spelt_embedded);
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

bool spelling_letters(struct spelling *cursor, const char *letters, const uint32_t *bits,
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

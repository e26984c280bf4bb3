/* SPDX-License-Identifier: BSD-2-Clause */
/* See words.h. */
#include "core/lib/words.h"

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

#define SEPARATOR ", "
#define REST      "..."

struct words words_begin(char *text, size_t size)
{
    assert(size >= WORDS_LEAST);
    text[0] = '\0';
    return (struct words){.text = text, .size = size};
}

static void append(struct words *words, const char *text)
{
    words->length += print_into(words->text + words->length, words->size - words->length, "%s%s",
                                words->length ? SEPARATOR : "", text);
}

/* Each word leaves room for the ", ..." of the next. */
void words_add(struct words *words, const char *format, ...)
{
    char *end = words->text + words->length;
    size_t before = words->length ? strlen(SEPARATOR) : 0;
    size_t after = strlen(SEPARATOR REST), length;
    size_t room = words->size - words->length;
    va_list arguments;

    if (words->cut)
        return;
    va_start(arguments, format);
    length = print_list_into(end, 0, format, arguments);
    va_end(arguments);
    if (before + length + after >= room) {
        words->cut = true;
        append(words, REST);
        return;
    }
    memcpy(end, SEPARATOR, before);
    va_start(arguments, format);
    print_list_into(end + before, room - before, format, arguments);
    va_end(arguments);
    words->length += before + length;
}

static bool has(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == text || at[-1] == SEPARATOR[1];

        if (begins && (at[length] == '\0' || at[length] == SEPARATOR[0]))
            return true;
    }
    return false;
}

void words_add_once(struct words *words, const char *word)
{
    if (!has(words->text, word))
        words_add(words, "%s", word);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits command lines and scripts (core/lib/words.h). Called by the console for each line.
 * Pure.
 */
#include "core/lib/words.h"

#include "core/lib/number.h"
#include "core/lib/string.h"

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/*
 * Quoting state after the characters read so far. Both functions below use it, so that they agree
 * on quotes.
 */
struct quoting {
    char quote;   /* ' or " while inside quotes, otherwise NUL */
    bool escaped; /* the last character was a \ that escapes the next */
};

/*
 * True if the character is part of the word; false for a quote mark or backslash, which is dropped.
 */
static bool quoting_take(struct quoting *quoting, char character, char next)
{
    if (quoting->escaped) {
        quoting->escaped = false;
        return true;
    }
    if (quoting->quote != '\0' && character == quoting->quote) {
        quoting->quote = '\0';
        return false;
    }
    if (quoting->quote == '\'')
        return true;
    if (character == '\\' && (quoting->quote == '\0' || next == '"' || next == '\\')) {
        quoting->escaped = true;
        return false;
    }
    if (quoting->quote == '\0' && (character == '\'' || character == '"')) {
        quoting->quote = character;
        return false;
    }
    return true;
}

static bool quoting_is_outside(const struct quoting *quoting)
{
    return quoting->quote == '\0' && !quoting->escaped;
}

static int refuse_open_end(const struct quoting *quoting, struct refusal *why)
{
    if (quoting->escaped)
        return refuse(why, EINVAL,
                      "the line ends in a backslash; write \\\\ for a backslash itself");
    return refuse(why, EINVAL, "the quote %c is opened but not closed", quoting->quote);
}

/*
 * Removes the quotes from the word at `from`, in place; returns where the text continues, or NULL
 * if a quote is not closed.
 */
static char *unquote_word(char *from, struct quoting *quoting)
{
    char *to = from;

    for (; *from != '\0' && !(quoting_is_outside(quoting) && is_blank(*from)); from++) {
        if (quoting_take(quoting, *from, from[1]))
            *to++ = *from;
    }
    if (!quoting_is_outside(quoting))
        return NULL;
    char *rest = *from == '\0' ? from : from + 1;
    *to = '\0';
    return rest;
}

int words_split(char *text, struct words *words, struct refusal *why)
{
    words->count = 0;
    for (;;) {
        while (is_blank(*text))
            text++;
        words->word[words->count] = NULL;
        if (*text == '\0')
            return 0;
        if (words->count == WORDS_MAX)
            return refuse(why, E2BIG, "more than %d words", WORDS_MAX);

        struct quoting quoting = {0};
        words->word[words->count++] = text;
        text = unquote_word(text, &quoting);
        if (!text)
            return refuse_open_end(&quoting, why);
    }
}

bool words_next_command(const char **script, struct words_command *command)
{
    const char *text = *script;
    struct quoting quoting = {0};

    while (is_blank(*text) || *text == ';')
        text++;
    *command = (struct words_command){text, 0};
    for (; *text != '\0' && !(quoting_is_outside(&quoting) && *text == ';'); text++) {
        bool trailing = quoting_is_outside(&quoting) && is_blank(*text);
        quoting_take(&quoting, *text, text[1]);
        if (!trailing)
            command->length = (size_t)(text + 1 - command->text);
    }
    *script = text;
    return command->length > 0;
}

bool words_number(const char *word, uint32_t *number)
{
    uint64_t value;

    if (!number_word(word, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

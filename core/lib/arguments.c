/* SPDX-License-Identifier: BSD-2-Clause */
/* See arguments.h. */
#include "core/lib/arguments.h"

#include "core/lib/number.h"
#include "core/lib/string.h"

#define COMMENT '#' /* at the start of a word: the rest of the text is one */

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/* The quoting at one place of a command line. */
struct quoting {
    char quote;   /* ' or " while inside quotes, otherwise NUL */
    bool escaped; /* the last character was a \ that escapes the next */
};

/* Returns false if the character is a quote or backslash that is not part of the argument. */
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

/*
 * Unquotes the argument at `from` in place. Returns the text after it; NULL if the argument ends
 * inside a quote or after a backslash.
 */
static char *unquote(char *from, struct quoting *quoting)
{
    char *to = from;

    for (; *from != '\0' && !(quoting_is_outside(quoting) && is_blank(*from)); from++) {
        if (quoting_take(quoting, *from, from[1]))
            *to++ = *from;
    }
    if (!quoting_is_outside(quoting))
        return NULL;
    from += *from != '\0';
    *to = '\0';
    return from;
}

int arguments_split(char *text, struct arguments *arguments, struct refusal *why)
{
    arguments->count = 0;
    for (;;) {
        while (is_blank(*text))
            text++;
        arguments->value[arguments->count] = NULL;
        if (*text == '\0' || *text == COMMENT)
            return 0;
        if (arguments->count == ARGUMENTS_MAX)
            return refuse(why, E2BIG, "more than %d arguments", ARGUMENTS_MAX);

        struct quoting quoting = {0};
        arguments->value[arguments->count++] = text;
        text = unquote(text, &quoting);
        if (!text && quoting.escaped)
            return refuse(why, EINVAL,
                          "the line ends in a backslash; write \\\\ for a backslash itself");
        if (!text)
            return refuse(why, EINVAL, "unterminated quote %c", quoting.quote);
    }
}

bool arguments_next_command(const char **script, struct arguments_command *command)
{
    const char *text = *script;
    struct quoting quoting = {0};

    while (is_blank(*text) || *text == ';')
        text++;
    *command = (struct arguments_command){text, 0};
    for (bool trailing = true; *text != '\0'; text++) {
        bool outside = quoting_is_outside(&quoting);

        if (outside && *text == ';')
            break;
        if (outside && trailing && *text == COMMENT) {
            text += strlen(text);
            break;
        }
        trailing = outside && is_blank(*text);
        quoting_take(&quoting, *text, text[1]);
        if (!trailing)
            command->length = (size_t)(text + 1 - command->text);
    }
    *script = text;
    return command->length > 0;
}

bool arguments_number(const char *argument, uint32_t *number)
{
    uint64_t value;

    if (!number_parse(argument, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's command line (kernel/cmdline.h). The line is parsed once, into consecutive
 * arguments. A byte before each argument records whether any code has asked for it:
 *
 *     ASKED k e y = v NUL  ASKED f l a g NUL ...
 */
#include "kernel/cmdline.h"

#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

enum { UNASKED = 1, ASKED = 2 };

static struct {
    char kept[2 * CMDLINE_SIZE]; /* each argument takes one extra byte, for its mark */
    size_t length;
    char complaint[120];
} cmdline;

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/*
 * GRUB escapes \ ' and " with a backslash; people also escape blanks. Before any other character
 * the backslash is kept.
 */
static bool is_hidden_by_backslash(char character)
{
    return character == '\\' || character == '\'' || character == '"' || is_blank(character);
}

static void keep(size_t *length, char character)
{
    if (*length < sizeof(cmdline.kept))
        cmdline.kept[*length] = character;
    (*length)++;
}

/* Appends the unquoted argument at `text`. Returns its end, or NULL if a quote is not closed. */
static const char *keep_argument(const char *text, size_t *length)
{
    char quote = '\0';

    keep(length, UNASKED);
    for (; *text != '\0' && (quote != '\0' || !is_blank(*text)); text++) {
        if (quote != '\'' && *text == '\\' && is_hidden_by_backslash(text[1]))
            keep(length, *++text);
        else if (quote != '\0' && *text == quote)
            quote = '\0';
        else if (quote == '\0' && (*text == '\'' || *text == '"'))
            quote = *text;
        else
            keep(length, *text);
    }
    keep(length, '\0');
    return quote == '\0' ? text : NULL;
}

/*
 * Returns why the argument at `text` is refused, or NULL. `end`: its end; NULL if a quote is not
 * closed. Checks the length first, because it may be why the quote is not closed.
 */
static const char *fault_of(const char *line, const char *text, const char *end)
{
    size_t reach = (size_t)(text - line) + (end ? (size_t)(end - text) : strlen(text));

    if (reach >= CMDLINE_SIZE)
        return "the line is longer than 4096 bytes";
    return end ? NULL : "a quote is not closed";
}

void cmdline_init(const char *line)
{
    const char *text = line;

    memset(&cmdline, 0, sizeof(cmdline));
    for (;;) {
        while (is_blank(*text))
            text++;
        if (*text == '\0')
            return;
        size_t length = cmdline.length;
        const char *end = keep_argument(text, &length);
        const char *fault = fault_of(line, text, end);
        if (fault) {
            print_into(cmdline.complaint, sizeof(cmdline.complaint),
                       "ignored, beginning at `%.30s`: %s", text, fault);
            return;
        }
        cmdline.length = length;
        text = end;
    }
}

const char *cmdline_complaint(void)
{
    return cmdline.complaint[0] == '\0' ? NULL : cmdline.complaint;
}

/*
 * Returns the argument after `previous` (NULL: the first one), or NULL at the end. The byte before
 * an argument is its mark.
 */
static char *next_argument(const char *previous)
{
    size_t at = previous ? (size_t)(previous - cmdline.kept) + strlen(previous) + 1 : 0;

    return at < cmdline.length ? &cmdline.kept[at + 1] : NULL;
}

/*
 * Returns the last argument that begins with `key` and `=`, from the `=` on, or NULL. Marks all
 * such arguments.
 */
static const char *ask(const char *key)
{
    size_t length = strlen(key);
    const char *found = NULL;

    for (char *argument = next_argument(NULL); argument; argument = next_argument(argument)) {
        if (strncmp(argument, key, length) != 0 || argument[length] != '=')
            continue;
        argument[-1] = ASKED;
        found = argument + length;
    }
    return found;
}

bool cmdline_value(const char *key, char *value, size_t size)
{
    const char *found = ask(key);

    if (size > 0)
        value[0] = '\0';
    if (!found || strlen(found + 1) >= size)
        return false;
    memcpy(value, found + 1, strlen(found + 1) + 1);
    return true;
}

const char *cmdline_next_unasked(const char *previous)
{
    const char *argument = next_argument(previous);

    while (argument && argument[-1] == ASKED)
        argument = next_argument(argument);
    return argument;
}

/* Returns by how many bits the suffix k, m or g shifts; 0 without one, -1 for an unknown one. */
static int suffix_shift(const char *suffix)
{
    static const char suffixes[] = "kKmMgG";
    const char *found = strchr(suffixes, suffix[0]);

    if (suffix[0] == '\0')
        return 0;
    return found && suffix[1] == '\0' ? 10 * (1 + (int)(found - suffixes) / 2) : -1;
}

static int parse_number(const char *text, uint64_t *number)
{
    unsigned base = number_base(&text);
    uint64_t value;
    enum number found = number_read(&text, base, UINT64_MAX, &value);
    int shift = suffix_shift(text);

    if (found == NUMBER_LARGE)
        return -ERANGE;
    if (found == NUMBER_NONE || shift < 0)
        return -EINVAL;
    if (value << shift >> shift != value)
        return -ERANGE;
    *number = value << shift;
    return 0;
}

int cmdline_number(const char *key, uint64_t *number, struct refusal *why)
{
    const char *found = ask(key);

    if (!found)
        return refuse(why, ENOENT, "%s=NUMBER is not on the command line", key);
    int error = parse_number(found + 1, number);
    if (error == -ERANGE)
        return refuse(why, ERANGE, "%s%s: larger than 64 bits", key, found);
    if (error)
        return refuse(why, EINVAL, "%s%s: a number is needed, for example 64k or 0x10000", key,
                      found);
    return 0;
}

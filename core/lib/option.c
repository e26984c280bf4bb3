/* SPDX-License-Identifier: BSD-2-Clause */
/* See option.h. */
#include "core/lib/option.h"

#include <linux/errno.h>

#include "core/lib/assert.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/lib/words.h"

#define NUMBER_MOST (1ull << 40) /* default limit of 64-bit numbers */
#define OPTION_MOST 32           /* characters of an option that `instead` may know */
#define HELP_COLUMN 32           /* column of the help text */

static bool has_row(const struct options *options, const struct option *row)
{
    return !options->command || (row->commands & options->command);
}

static bool is_name(const char *name, const char *typed, size_t length)
{
    return name && strlen(name) == length && strncmp(name, typed, length) == 0;
}

const struct option *option_find(const struct options *options, const char *name, size_t length)
{
    for (const struct option *row = options->row; row->names[0]; row++)
        if (has_row(options, row) &&
            (is_name(row->names[0], name, length) || is_name(row->names[1], name, length)))
            return row;
    return NULL;
}

const char *option_after(const struct options *options, const char *before)
{
    const char *least = options->workload && strcmp("--", before) > 0 ? "--" : NULL;

    for (const struct option *row = options->row; row->names[0]; row++)
        for (unsigned i = 0; i < 2 && row->names[i] && has_row(options, row); i++)
            if (strcmp(row->names[i], before) > 0 && (!least || strcmp(row->names[i], least) < 0))
                least = row->names[i];
    return least;
}

/* --- Values --- */

static int refuse_number(const struct option *option, const char *typed, const char *value,
                         struct refusal *why)
{
    unsigned long long least = option->least;
    const char *what = option->what ? option->what : typed;

    if (option->most)
        return refuse(why, EINVAL, "%s \"%s\": %llu to %llu %s are allowed", what, value, least,
                      (unsigned long long)option->most, option->unit);
    if (option->unit)
        return refuse(why, EINVAL, "%s \"%s\": whole %s from %llu are allowed", what, value,
                      option->unit, least);
    return refuse(why, EINVAL, "%s \"%s\": a whole number from %llu is allowed", what, value,
                  least);
}

static int set_number(const struct option *option, const char *typed, const char *value, void *at,
                      struct refusal *why)
{
    bool narrow = option->size == sizeof(uint32_t);
    uint64_t most = option->most ? option->most : narrow ? UINT32_MAX : NUMBER_MOST, number;

    assert(narrow || option->size == sizeof(uint64_t));
    if (!number_parse(value, most, &number) || number < option->least)
        return refuse_number(option, typed, value, why);
    if (narrow)
        *(uint32_t *)at = (uint32_t)number;
    else
        *(uint64_t *)at = number;
    return 0;
}

/* Sets the option's member of the structure `to`. */
static int option_set(const struct option *option, const char *typed, char *value, void *to,
                      struct refusal *why)
{
    void *at = (char *)to + option->place;

    assert(!option->value == !value);
    if (option->set)
        return option->set(at, typed, value, why);
    if (option->kind == OPTION_NUMBER)
        return set_number(option, typed, value, at, why);
    if (option->kind == OPTION_TEXT) {
        assert(option->size == sizeof(const char *));
        *(const char **)at = value;
    } else if (option->kind == OPTION_FLAG) {
        assert(option->size == sizeof(bool));
        *(bool *)at = true;
    }
    return 0;
}

/* --- Arguments --- */

const char *options_list(const struct options *options, const char *separator, char *text,
                         size_t size)
{
    struct words list = words_begin(text, size);

    for (const struct option *row = options->row; row->names[0]; row++)
        if (has_row(options, row))
            words_add(&list, "%s%s%s", row->names[0], row->value ? separator : "",
                      row->value ? row->value : "");
    return text;
}

/* --- Terms of an event --- */

static int read_term(const struct options *possible, char *term, void *to, struct refusal *why)
{
    char *value = strchr(term, '=');
    size_t length = value ? (size_t)(value - term) : strlen(term);
    const struct option *row = option_find(possible, term, length);
    char list[sizeof(why->text)];

    if (!row || !row->value != !value)
        return refuse(why, EINVAL, "event term \"%s\": allowed: %s", term,
                      options_list(possible, "=", list, sizeof(list)));
    return option_set(row, row->names[0], value ? value + 1 : NULL, to, why);
}

/* Returns the slash before the terms of a text that ends in a slash; NULL: none. */
static char *find_terms(char *event, size_t length)
{
    char *at = event + length - 2;

    while (at > event && *at != '/')
        at--;
    return at > event ? at : NULL;
}

int options_read_terms(const struct options *possible, char *event, void *to, struct refusal *why)
{
    size_t length = strlen(event);
    char *open, *next;

    if (length < 2 || event[length - 1] != '/')
        return 0;
    open = find_terms(event, length);
    event[length - 1] = '\0';
    if (!open)
        return refuse(why, EINVAL, "event \"%s/\": the terms must be between two slashes", event);
    *open = '\0';
    for (char *term = open + 1; term; term = next) {
        int error;

        next = strchr(term, ',');
        if (next)
            *next++ = '\0';
        error = read_term(possible, term, to, why);
        if (error)
            return error;
    }
    return 0;
}

/* --- The command line --- */

static int refuse_argument(const struct options *options, const char *typed, size_t length,
                           struct refusal *why)
{
    char list[sizeof(why->text)], option[OPTION_MOST];
    struct options elsewhere = *options;

    elsewhere.command = ~options->command; /* options of the other commands in the table */
    if (options->others && option_find(&elsewhere, typed, length))
        return refuse(why, EINVAL, "%.*s: %s", (int)length, typed, options->others);
    print_into(option, sizeof(option), "%.*s", (int)length, typed);
    if (options->instead && options->instead(options->name, option, list, sizeof(list)))
        return refuse(why, EINVAL, "%s: %s", option, list);
    return refuse(why, EINVAL, "unknown option \"%.*s\"; there are %s%s", (int)length, typed,
                  options_list(options, " ", list, sizeof(list)),
                  options->workload ? ", -- COMMAND" : "");
}

/* The remaining arguments; argv[0] is the option itself. */
struct reader {
    const struct options *options;
    int argc;
    char **argv;
    void *to;
    uint64_t said; /* options seen, a bit for each row */
    struct refusal *why;
};

static uint64_t bit_of(const struct options *options, const struct option *option)
{
    size_t index = (size_t)(option - options->row);

    assert(index < 64);
    return 1ull << index;
}

/* `attached`: the value in this argument, or NULL. Returns the number of further arguments used. */
static int read_option(struct reader *reader, const struct option *option, const char *typed,
                       char *attached)
{
    bool follows = reader->argc > 1 && !(option->bare && reader->argv[1][0] == '-');
    char *value = attached || !option->value || !follows ? attached : reader->argv[1];
    uint64_t bit = bit_of(reader->options, option);
    int error;

    if (option->again == OPTION_ONCE && (reader->said & bit))
        return refuse(reader->why, EINVAL, "%s is given twice; once is allowed", typed);
    reader->said |= bit;
    if (value && !option->value)
        return refuse(reader->why, EINVAL, "option %s takes no value", typed);
    if (!value && option->bare)
        return 0;
    if (!value && option->value)
        return refuse(reader->why, EINVAL, "option %s needs a value", typed);
    error = option_set(option, typed, value, reader->to, reader->why);
    return error ? error : value != attached;
}

/* Reads --name, --name VALUE or --name=VALUE. */
static int read_long(struct reader *reader)
{
    char *argument = reader->argv[0], *value = strchr(argument, '=');
    size_t length = value ? (size_t)(value - argument) : strlen(argument);
    const struct option *option = option_find(reader->options, argument, length);

    if (!option)
        return refuse_argument(reader->options, argument, length, reader->why);
    if (value)
        *value++ = '\0';
    return read_option(reader, option, argument, value);
}

/*
 * Reads -n, -n VALUE or -nVALUE; or several options in one argument, of which the last may have a
 * value: -agF99.
 */
static int read_short(struct reader *reader)
{
    char *letter = reader->argv[0];
    int taken = 0;

    do {
        char name[] = {'-', *++letter, '\0'};
        const struct option *option = option_find(reader->options, name, strlen(name));

        if (!option)
            return refuse_argument(reader->options, name, strlen(name), reader->why);
        if (option->value && letter[1] != '\0')
            return read_option(reader, option, name, letter + 1);
        taken = read_option(reader, option, name, NULL);
    } while (taken == 0 && letter[1] != '\0');
    return taken;
}

static int check_together(const struct options *options, uint64_t said, struct refusal *why)
{
    for (const struct option *row = options->row; row->names[0]; row++) {
        const struct option *other =
            row->excludes ? option_find(options, row->excludes, strlen(row->excludes)) : NULL;

        if (other && (said & bit_of(options, row)) && (said & bit_of(options, other)))
            return refuse(why, EINVAL, "%s and %s cannot be combined: %s", row->names[0],
                          other->names[0], row->because);
    }
    return 0;
}

int options_parse(const struct options *options, int argc, char **argv, void *to,
                  struct refusal *why)
{
    struct reader reader = {.options = options, .to = to, .why = why};
    int at = 1, taken, error;

    for (; at < argc; at += 1 + taken) {
        /* as in perf, the first argument that is not an option begins the workload */
        if (options->workload && argv[at][0] != '-')
            break;
        if (options->workload && strcmp(argv[at], "--") == 0) {
            if (++at == argc)
                return refuse(why, EINVAL, "no command after --");
            break;
        }
        if (argv[at][0] != '-')
            return refuse_argument(options, argv[at], strlen(argv[at]), why);
        reader.argc = argc - at;
        reader.argv = argv + at;
        taken = strncmp(argv[at], "--", 2) == 0 ? read_long(&reader) : read_short(&reader);
        if (taken < 0)
            return taken;
    }
    error = check_together(options, reader.said, why);
    return error ? error : at;
}

bool options_ask_help(const struct options *options, int argc, char **argv)
{
    for (int at = 1; at < argc; at++) {
        const struct option *option = option_find(options, argv[at], strlen(argv[at]));

        if (strcmp(argv[at], "-h") == 0 || strcmp(argv[at], "--help") == 0)
            return true;
        if (options->workload && (argv[at][0] != '-' || strcmp(argv[at], "--") == 0))
            return false;
        at += option && option->value && !option->bare;
    }
    return false;
}

void options_help(const struct options *options, struct sink *sink)
{
    for (const struct option *row = options->row; row->names[0]; row++) {
        static const char *const again[] = {"", "; may be given again", "; once"};
        char left[HELP_COLUMN * 2];

        if (!has_row(options, row))
            continue;
        print_into(left, sizeof(left), "%s%s%s%s%s", row->names[0], row->names[1] ? ", " : "",
                   row->names[1] ? row->names[1] : "", row->value ? " " : "",
                   row->value ? row->value : "");
        print_to(sink, "    %-*s %s%s\n", HELP_COLUMN, left, row->help, again[row->again]);
    }
}

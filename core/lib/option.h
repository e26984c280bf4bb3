/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command's options as a table with one row per option. options_parse uses it, TAB on the console
 * completes from it, `help` prints it, and option_table_test compares docs/ with it. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/lib/refusal.h"

/* Kind of an option's value, for the parser and for TAB. */
enum option_kind {
    OPTION_ALWAYS,  /* a flag for the default behaviour */
    OPTION_FLAG,    /* a flag; without `set`, a bool is set to true */
    OPTION_NUMBER,  /* without `set`: at least `least`, stored as a uint32_t or uint64_t */
    OPTION_TEXT,    /* any string; without `set`, stored unchanged as a const char * */
    OPTION_CHOICE,  /* one of `choices`, which TAB offers */
    OPTION_CHOICES, /* several of `choices`, separated by commas */
    OPTION_EVENTS,
    OPTION_BREAKPOINTS, /* events, but only breakpoints */
    OPTION_CALLS,       /* system calls, separated by commas */
    OPTION_PID,
};

/* Meaning of a repeated option. */
enum option_again {
    OPTION_REPLACES, /* as in perf, the last one counts */
    OPTION_ADDS,     /* all of them count */
    OPTION_ONCE,     /* a repetition is refused */
};

struct option {
    const char *names[2]; /* the name to display; a second name or NULL */
    const char *value;    /* the value's name in help; NULL: the option takes no value */
    unsigned commands;    /* in a table for several commands: bits of those that have the option */
    enum option_kind kind;
    const char *help;
    enum option_again again;
    bool bare;                      /* the value may be omitted, for the default behaviour */
    const char *const *choices;     /* in order, NULL after the last */
    uint64_t least, most;           /* bounds of a number; most 0: the default limit of its type */
    const char *what, *unit;        /* name and unit of a number, for refusals */
    const char *excludes, *because; /* an option it cannot be combined with, and the reason */
    size_t place, size;             /* of the member to set; given by OPTION_AT */
    /* Parses the value (NULL: a flag), which it may modify. `typed`: the option as typed. */
    int (*set)(void *at, const char *typed, char *value, struct refusal *why);
};

#define OPTION_AT(type, member) .place = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* A row; the first members can be given in order, without their names. */
#define OPTION(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* A command's options: the rows of a table that have its bit. */
struct options {
    const char *name;         /* the command's name */
    const char *usage;        /* its arguments, in short */
    const char *summary;      /* what it does, in one line */
    const struct option *row; /* ends with a row without a name */
    unsigned command;         /* its bit in the rows' `commands`; 0: all rows are its own */
    const char *others;       /* why it refuses other commands' options; NULL: as unknown ones */
    /*
     * Writes what to type instead of an option that the table lacks, for the command `name`.
     * Returns 0 if it knows nothing of the option. NULL: it knows none.
     */
    size_t (*instead)(const char *name, const char *option, char *text, size_t size);
    bool workload; /* a command may follow the options or -- */
};

const struct option *option_find(const struct options *options, const char *name, size_t length);

/*
 * Returns the next name in the order of strcmp: the first for "", NULL after the last. The names
 * include -- if there may be a workload.
 */
const char *option_after(const struct options *options, const char *before);

/*
 * Parses argv[1] and later into the structure `to`, in every form that perf accepts: -c 100, -c100,
 * -ag, --count 100, --count=100. On success returns the index of the workload, or argc.
 */
int options_parse(const struct options *options, int argc, char **argv, void *to,
                  struct refusal *why);

/*
 * Cuts "/term,term/" off the end of an event, and sets the member of `to` that each term names: a
 * row's name, and =VALUE if it has one.
 */
int options_read_terms(const struct options *possible, char *event, void *to, struct refusal *why);

/* True if -h or --help occurs before any workload. */
bool options_ask_help(const struct options *options, int argc, char **argv);

/* Lists all options for a refusal: "-e EVENT, -g", with `separator` before a value. */
const char *options_list(const struct options *options, const char *separator, char *text,
                         size_t size);

void options_help(const struct options *options, struct sink *sink);

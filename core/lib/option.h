/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a command as a table, a row for each. No other code lists options: options_parse
 * reads words by the table, the console's TAB offers its rows, `help` prints it, and the unit test
 * option_table_test holds the pages of docs against it. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/lib/refusal.h"

/* What follows an option, for the parser and for TAB. */
enum option_kind {
    OPTION_ALWAYS, /* a flag for the default behaviour */
    OPTION_FLAG,   /* a flag; without `set`, a bool becomes true */
    OPTION_NUMBER, /* without `set`, a whole number from `least` on, a uint32_t or uint64_t */
    OPTION_TEXT,   /* any word; without `set`, it is kept as it is, a const char * */
    OPTION_WORD,   /* ... TAB offers `words`, the possible ones */
    OPTION_WORDS,  /* several of them, with commas between them */
    OPTION_EVENTS,
    OPTION_BREAKPOINTS, /* events, but only breakpoints */
    OPTION_CALLS,       /* system calls, with commas between them */
    OPTION_PID,
};

/* What an option means that is given again. */
enum option_again {
    OPTION_REPLACES, /* as in perf, the last one counts */
    OPTION_ADDS,     /* ... or all of them do */
    OPTION_ONCE,     /* refused */
};

struct option {
    const char *names[2]; /* the name that is shown, and another one or NULL */
    const char *value;    /* the name in help of the word that follows; NULL: none follows */
    unsigned commands;    /* in a table for several commands: a bit for each that has the option */
    enum option_kind kind;
    const char *help;
    enum option_again again;
    bool bare;                /* without a value it asks for the default behaviour */
    const char *const *words; /* in order, NULL after the last */
    uint64_t least, most;     /* bounds of a number; most 0: what its type can hold */
    const char *what, *unit;  /* of a number, for refusals: its name, and its unit */
    /* The name of a row that is refused together with this one, and the reason. */
    const char *excludes, *because;
    size_t place, size; /* of the member that it sets, OPTION_AT */
    /*
     * Reads the value (NULL for a flag), which it may cut up, into what is at `place`; `typed`: the
     * option as it was typed. 0, or a negative errno and the reason.
     */
    int (*set)(void *at, const char *typed, char *value, struct refusal *why);
};

#define OPTION_AT(type, member) .place = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* A row, the first members in their order. */
#define OPTION(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* A command's options: the rows of a table that have its bit. */
struct options {
    const char *name;         /* the command's */
    const char *usage;        /* the words after its name, in short */
    const char *summary;      /* what it does, a line */
    const struct option *row; /* the last has no name */
    unsigned command;         /* its bit; 0: the table is this command's alone */
    const char *others;       /* why it does not have the other rows; NULL: they are unknown to
                               * it */
    bool workload;            /* a command may follow the options, which -- ends */
};

/* The option of the command with that name; NULL: there is none. */
const struct option *option_find(const struct options *options, const char *name, size_t length);

/* The index-th name in the order of strcmp, -- among them for a workload; NULL past the end. */
const char *option_name(const struct options *options, size_t index);

/* Sets what the row says in the structure `to`. 0, or a negative errno and the reason. */
int option_set(const struct option *option, const char *typed, char *value, void *to,
               struct refusal *why);

/*
 * Reads argv[1] and those after it into the structure `to`, in all ways in which perf takes them:
 * -c 100, -c100, -ag, --count 100, --count=100. The index of the workload's first word,
 * or argc; or a negative errno and the reason.
 */
int options_parse(const struct options *options, int argc, char **argv, void *to,
                  struct refusal *why);

/* Whether one of them, before a workload, is -h or --help. */
bool options_ask_help(const struct options *options, int argc, char **argv);

/* All options, for a refusal: "-e EVENT, -g", with `separator` before a value. */
const char *options_list(const struct options *options, char separator, char *text, size_t size);

/* Prints a line for each option. */
void options_help(const struct options *options, struct sink *sink);

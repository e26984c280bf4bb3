/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command lines of pitot, in the style of perf's and the kernel's. Called by
 * outside/pitot/main.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/option.h"
#include "core/lib/refusal.h"
#include "outside/request.h"

#define EVENT_FORMS "instructions, mem:ADDR[/LEN][:r|w|rw], call:GLOB, return:GLOB, irq[:N[-N]]"

enum pitot_command {
    PITOT_RECORD = 1,
    PITOT_STAT = 2,
    PITOT_BLAME = 4,
    PITOT_GRAPH = 8,
    PITOT_LAST = 16,
    PITOT_COVER = 32,
    PITOT_HEAP = 64,
    PITOT_SHOW = 128,
    PITOT_LOCKS = 256,
    PITOT_RACE = 512,
    PITOT_REPEAT = 1024,
    PITOT_TRACE = 2048,
};

struct spelt_events {
    unsigned count;
    char *text[EVENTS_MOST]; /* each argument as typed */
};

struct pitot_options {
    bool chains, registers;
    uint64_t period;            /* 0: not given */
    const char *input, *output; /* NULL: the command's default */
    uint64_t memory;            /* bytes; 0: not given */
    const char *kernel;         /* NULL: QEMU's -kernel */
    const char *symbols;        /* instead of `kernel`; NULL: not given */
    uint64_t calls;             /* for last: calls kept per CPU */
    struct spelt_events events; /* for graph: calls of its functions */
    struct spelt_events stop;
    char *from, *until; /* functions; NULL: not given */
    uint64_t most;      /* samples; 0: unlimited */
    bool overwrite, show;
    bool svg, folded, speedscope, firefox; /* for show: the form; none: a page */
    const char *event;                     /* for show; NULL: not given */
    bool html;                             /* for blame and graph: the answer as a page */
    uint64_t depth;                        /* for a graph */
    /* for trace: calls of functions, as events; levels of calls; 0: not given */
    struct spelt_events functions;
    uint64_t levels;
    uint64_t least;  /* time of a call; 0: not given */
    uint64_t writes; /* for blame: writers per word; 0: not given */
    /* for heap: functions as typed, and the fewest live bytes to list; 0: not given */
    struct spelt_events alloc, realloc, free, allocator;
    uint64_t leaks;
    bool guard;
    uint64_t quarantine;  /* frees; 0: not given */
    const char *suppress; /* file; NULL: not given */
    /* for locks and trace: functions as typed; for locks: rows of the table */
    struct spelt_events lock, mutex, trylock, unlock, lock_init;
    uint64_t rows;
    struct spelt_events wake, wait; /* for trace: functions as typed */
    struct spelt_events sync;       /* for race: functions and variables as typed */
    uint64_t every, seed;           /* 0: not given */
    uint64_t shake;                 /* a seed; 0: not given */
    /* for repeat: how often, the expression that ends a run, and the seconds that do */
    uint64_t runs, silence, timeout;
    const char *pattern;
    size_t place_count;
    char *places[PLACES_MOST]; /* as typed, before -- */
    char **qemu;               /* QEMU's command, NULL-terminated; NULL: a file is read */
};

extern const struct options options_record, options_stat, options_blame, options_graph,
    options_last, options_trace, options_cover, options_heap, options_locks, options_race,
    options_repeat, options_show;

/* True if a function of locks was given. */
bool pitot_options_have_locks(const struct pitot_options *options);

/* Keeps pointers into argv, which is modified. */
int pitot_options_read(const struct options *of, int argc, char **argv,
                       struct pitot_options *options, struct refusal *why);

/*
 * Prints what completes `pitot` in this shell, out of the tables of options; the build writes it to
 * a file (outside/outside.mk). Returns 0, or -EINVAL for another shell than bash and zsh.
 */
int completion_print(const char *shell, const struct options *const *commands, size_t count);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command lines of pitot, spelt as perf's and the kernel's are. Called by outside/pitot/main.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/option.h"
#include "core/lib/refusal.h"

#define EVENTS_MAX    96 /* of all -e together */
#define PLACES_MAX    96
#define PLACE_LONGEST (1 << 20) /* bytes */

enum pitot_command {
    PITOT_RECORD = 1,
    PITOT_STAT = 2,
    PITOT_BLAME = 4,
    PITOT_GRAPH = 8,
    PITOT_LAST = 16,
    PITOT_COVER = 32
};

struct spelt_events {
    unsigned count;
    char *text[EVENTS_MAX]; /* each -e as it was typed */
};

struct pitot_options {
    bool chains, registers;
    uint64_t period;            /* 0: not given */
    const char *input, *output; /* NULL: the command's own */
    uint64_t memory;            /* bytes; 0: not given */
    const char *kernel;         /* NULL: the one that QEMU is given */
    const char *symbols;        /* in its place; NULL: not given */
    uint64_t calls;             /* of the last ones, how many */
    struct spelt_events events; /* of a graph: calls of its functions */
    struct spelt_events stop;
    char *from, *until; /* functions; NULL: not given */
    uint64_t most;      /* samples; 0: any number */
    bool overwrite;
    uint64_t depth;  /* of a graph */
    uint64_t writes; /* of each word; 0: not given */
    size_t place_count;
    char **places; /* as they were typed, before -- */
    char **qemu;   /* its command, NULL after the last word; NULL: a file is read */
};

extern const struct options options_record, options_stat, options_blame, options_graph,
    options_last, options_cover;

/* 0, or a negative errno and the reason. The words stay in argv, which is written to. */
int pitot_options_read(const struct options *of, int argc, char **argv,
                       struct pitot_options *options, struct refusal *why);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the runs of `pitot repeat`: `pitot last` in a process of its own, until its console says
 * what is looked for, or nothing any more. Called by repeat.c.
 */
#pragma once

#include <stdio.h>

#include "outside/pitot/command.h"

#define REPEAT_LINE 256 /* bytes of a line of the console that are kept */

enum repeat_outcome {
    REPEAT_SAID,    /* the console has said what is looked for */
    REPEAT_SILENT,  /* ... nothing for so long */
    REPEAT_RUNS_ON, /* it still ran after so long */
    REPEAT_ENDED,   /* QEMU has ended by itself */
    REPEAT_IDLE,    /* ... before the kernel ran */
    REPEAT_OUTCOMES,
};

struct repeat_run {
    enum repeat_outcome outcome;
    int status;             /* QEMU's */
    bool heard;             /* the console has said anything */
    char line[REPEAT_LINE]; /* REPEAT_SAID: what it said */
    FILE *words;            /* what `pitot last` and QEMU have said on stderr, from its beginning */
};

/* Before the first run. */
int repeat_run_begin(const struct pitot_options *options, struct refusal *why);

/* Passes the console on to stdout. Returns 0, or a negative errno: `pitot last` refuses. */
int repeat_run(const struct command *command, struct watch *watch, struct repeat_run *run,
               struct refusal *why);

/* True if a signal has asked for the end. */
bool repeat_run_is_asked(void);

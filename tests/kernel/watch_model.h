/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known accesses under random overlapping watches: what each watch must count, by a model without
 * debug registers. For suites that execute the accesses. Task context, one suite at a time.
 */
#pragma once

#include "tests/kernel/watch.h"

#define WATCH_MODEL_AREA    64 /* bytes that are accessed and watched */
#define WATCH_MODEL_WATCHES 5  /* maximum at once */

/* Each of `count` iterations reads at `from`, then writes at `to`: offsets in the area. */
struct watch_model {
    const char *name;
    unsigned reads, writes; /* bytes of one iteration; 0: none */
    unsigned to, from, count;
    bool down;
    unsigned times; /* how often everything is executed */
};

/*
 * Runs a suite's command `[ROUNDS SEED]`: calls `claims` with ROUNDS. Without arguments it runs
 * `rounds` of them, with the same random numbers each time. Returns the command's status.
 */
int watch_model_run(int argc, char **argv, unsigned rounds, void (*claims)(unsigned rounds));

/* Called at the beginning of the claims. */
void watch_model_start(uintptr_t area, struct breakpoint_target target);

unsigned watch_model_below(unsigned limit);

/*
 * Chooses places: multiples of the size if `aligned`. On QEMU 7.2 a single armed watch miscounts
 * others (docs/breakpoints.md).
 */
void watch_model_place(struct watch_model *model, bool aligned);

/*
 * Arms random watches, calls `execute` with the first of `count` models, and compares the watches'
 * counts with the accesses of all models.
 */
void watch_model_round(const struct watch_model *models, unsigned count,
                       void (*execute)(const struct watch_model *model));

/*
 * Claims that no count was outside of its range of doubt, and that at most `percent` of them were
 * doubtful; prints how many.
 */
void watch_model_claims(unsigned percent);

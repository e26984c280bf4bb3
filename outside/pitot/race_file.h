/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of `pitot race`: lines of words between tabs, by which those of several runs can be
 * added up. Called by outside/pitot/race.c.
 *
 *     pitot race 1
 *     run KERNEL BUILD SEED STOPS PLACES
 *     race KIND COUNT WHERE THEN and of each side: CPU THREAD ACCESS LENGTH VALUE CHAIN
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"

/* What runs have done, which their rows do not tell (race_rows.h). */
struct race_runs {
    unsigned count;
    uint64_t stops, places;
};

/* Of one run, which is added to those that were read. */
struct race_run {
    const char *kernel, *build; /* its file's name; build_name.h */
    uint64_t seed, stops, places;
};

/* Creates the file, which gets its name at the end. */
int race_file_create(const char *path, struct refusal *why);

/* Writes the runs and all rows, and keeps the file if `whole`. */
int race_file_close(bool whole, struct refusal *why);

/* Adds the file's runs and rows. Refuses those of another kernel than the one before. */
int race_file_read(const char *path, struct refusal *why);

/* Adds a run of this command's. */
int race_file_add_run(const struct race_run *run, struct refusal *why);

struct race_runs race_file_runs(void);

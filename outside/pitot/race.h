/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of `pitot race`: its races, and its file. Called by outside/pitot/race.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"
#include "outside/wire.h"

/* --- The races: race_rows.c --- */

/*
 * Races by their names, so that those of several runs, and of several machines, can be one: the
 * kernel's addresses and contexts are gone. Each row is a pair of places.
 */
struct race_side {
    uint32_t cpu, access, length; /* as in struct wire_race_side */
    bool valued;
    uint64_t value;
    char *thread, *chain; /* chain: places, innermost first, with " < " between them */
};

struct race_row {
    uint32_t kind; /* enum wire_race_kind */
    uint64_t count;
    char *where; /* the memory: a place in a variable, or an address */
    char *then;  /* the place that has made it lost or torn; or "" */
    struct race_side sides[2];
};

/* What the plugin says, unless a suppression matches a side of it. */
int race_rows_add(const struct wire_race *race, struct refusal *why);
uint64_t race_rows_suppressed(void);

/* A row whose strings the caller leaves to it: of the same places as another one is that one. */
int race_rows_merge(const struct race_row *row, struct refusal *why);

/* Sorts the rows: the worst first, and of those with the same functions the next ones behind. */
void race_rows_sort(void);

size_t race_rows_count(void);
const struct race_row *race_rows_at(size_t index);

/* True if both are races of the same two functions about the same variable. */
bool race_rows_are_akin(const struct race_row *a, const struct race_row *b);

/* --- The file: race_file.c --- */

/*
 * race.data: lines of words between tabs, by which those of several runs can be added up.
 *
 *     pitot race 1
 *     run KERNEL BUILD SEED STOPS PLACES
 *     race KIND COUNT WHERE THEN and of each side: CPU THREAD ACCESS LENGTH VALUE CHAIN
 */

/* What runs have done, which their rows do not tell. */
struct race_runs {
    unsigned count;
    uint64_t stops, places;
};

/* Of one run, which is added to those that were read. */
struct race_run {
    const char *kernel, *build; /* its file's name; race_file_build */
    uint64_t seed, stops, places;
};

/* Creates the file, which gets its name at the end. */
int race_file_create(const char *path, struct refusal *why);

/* Writes the runs and all rows, and keeps the file if `whole`. */
int race_file_close(bool whole, struct refusal *why);

/* Adds the file's runs and rows. Refuses those of another kernel than the one before. */
int race_file_read(const char *path, struct refusal *why);

#define RACE_BUILD_ROOM (2 * KERNEL_BUILD_ID_MAX + 1)

/*
 * What tells a build of a kernel from others: its build id or, if the linker has written none, a
 * sum of its file; "": it was a pipe.
 */
int race_file_build(const struct kernel *kernel, char build[RACE_BUILD_ROOM], struct refusal *why);

/* Adds a run of this command's. */
int race_file_add_run(const struct race_run *run, struct refusal *why);

struct race_runs race_file_runs(void);

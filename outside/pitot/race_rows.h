/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races by their names, so that those of several runs, and of several machines, can be one: the
 * kernel's addresses and contexts are gone. Each row is a pair of places. Called by race.c,
 * race_file.c and race_text.c of outside/pitot/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

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

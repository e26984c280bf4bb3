/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the writers of each place, from writes.h; adjacent words with the same writers are joined.
 * Called by outside/pitot/blame.c.
 */
#pragma once

#include "outside/pitot/writes.h"

/* Before blame_print. 0, or a negative errno and the reason. */
int blame_clock(const struct wire_clock *clock, struct refusal *why);

/* Also before blame_print: the number of lost writes. */
void blame_lost(uint64_t writes);

/* Prints to stdout. `kernel`: the name for code whose thread is not known. */
void blame_print(const struct place *places, size_t count, const char *kernel);

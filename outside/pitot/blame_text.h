/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the writers of each place, from writes.h; adjacent words with the same writers are joined.
 * Called by outside/pitot/blame.c.
 */
#pragma once

#include <stdio.h>

#include "outside/pitot/writes.h"

/* Stores a CPU's clock. Must be called before blame_print. */
int blame_clock(const struct wire_number *clock, struct refusal *why);

/* `kernel` names code of an unknown thread; `lost` is the number of writes dropped. */
int blame_print(FILE *to, const struct blamed_place *places, size_t count, const char *kernel,
                uint64_t lost, struct refusal *why);

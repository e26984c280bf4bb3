/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writers of each place as text: those that writes.h has, neighbouring words with the same ones
 * joined. Called by outside/pitot/blame.c.
 */
#pragma once

#include "outside/pitot/writes.h"

/* Before blame_print. 0, or a negative errno and the reason. */
int blame_clock(const struct wire_clock *clock, struct refusal *why);

/* ... so many writes are not known. */
void blame_lost(uint64_t writes);

/* On stdout. `kernel`: the name of code whose thread is not known. */
void blame_print(const struct place *places, size_t count, const char *kernel);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writers of each place as text: the writes that the plugin tells, joined where neighbouring
 * words have the same ones. Called by outside/pitot/blame.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

struct place {
    char *name; /* as typed, without /LEN */
    uint64_t address, length;
    bool fixed; /* where the kernel runs, whatever its file says */
};

/* Both copy. 0, or a negative errno and the reason. */
int blame_add(const struct wire_word *word, struct refusal *why);
int blame_clock(const struct wire_clock *clock, struct refusal *why);

/* On stdout. `kernel`: the name of code whose thread is not known. */
void blame_print(const struct place *places, size_t count, const char *kernel);

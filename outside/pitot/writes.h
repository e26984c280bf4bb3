/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writes to the places of `pitot blame`, grouped: bytes with the same writers. Called by
 * outside/pitot/blame.c, which adds them, and blame_text.c.
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
    bool fixed; /* a run-time address, which the slide does not move */
};

/* Bytes of a place and their writes, newest first; for joined words, those of the first. */
struct group {
    uint64_t first, last, word_last;
    const struct wire_word *writes;
    size_t count;
};

/* Adds to a history, in the plugin's order. */
int writes_add(const struct wire_word *word, struct refusal *why);

/*
 * Adds a last writer, in any order, for its bytes in these places. The other bytes of the same 4
 * have an unknown writer: a write with count 0.
 */
int writes_pick(const struct place *places, size_t count, const struct wire_word *word,
                struct refusal *why);

/* After the last write. */
void writes_sort(void);

/* The group at `first` of place `number`. `at`: 0 at first, then kept for all places in turn. */
struct group writes_group(size_t number, uint64_t first, uint64_t end, size_t *at);

/* True if the write covers all bytes of the group's word. */
bool writes_whole(const struct group *group, const struct wire_word *write);

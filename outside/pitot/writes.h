/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writes to the places of `pitot blame`, in groups of bytes with the same writers. Called by
 * outside/pitot/blame.c, which adds them, and blame_text.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

#define WRITES_CPUS 256

struct place {
    char *name; /* as typed, without /LEN */
    uint64_t address, length;
    bool fixed; /* a run-time address, which the slide does not move */
};

/*
 * Bytes of a place and their writes, newest first; for joined words, the writes of the first word,
 * which ends at `word_last`.
 */
struct group {
    uint64_t first, last, word_last;
    const struct wire_word *writes;
    size_t count;
};

/* Adds a write to a history. Must be called in the plugin's order. */
int writes_add(const struct wire_word *word, struct refusal *why);

/*
 * Adds a last writer to the places that contain its bytes; may be called in any order. The other
 * bytes of the same granule (4 bytes) get a write with count 0: their writer is not known.
 */
int writes_pick(const struct place *places, size_t count, const struct wire_word *word,
                struct refusal *why);

/*
 * Must be called after the last write was added. `clocks`: instructions of each CPU. Refuses writes
 * that are later, and last writers of the same bytes.
 */
int writes_sort(const uint64_t clocks[WRITES_CPUS], struct refusal *why);

/*
 * Returns the group that begins at `first` in place `number`, whose last byte is `end`. *at is 0
 * before the first call, and then kept from call to call, for all places in order.
 */
struct group writes_group(size_t number, uint64_t first, uint64_t end, size_t *at);

/* True if the write covers all bytes of the group's word. */
bool writes_whole(const struct group *group, const struct wire_word *write);

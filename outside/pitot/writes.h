/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writes of the places that `pitot blame` was asked about, and their groups: bytes with the
 * same writers. Called by outside/pitot/blame.c, which adds them, and blame_text.c.
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

/* Bytes of a place and their writes, the newest first; of joined words those of the first one. */
struct group {
    uint64_t first, last, word_last;
    const struct wire_word *writes;
    size_t count;
};

/* A write of a place's history, in the plugin's order. 0, or a negative errno and the reason. */
int writes_add(const struct wire_word *word, struct refusal *why);

/*
 * A last writer of some memory, in any order: what is of these places is kept. Nothing is
 * known of the bytes beside it that share its 4 bytes: a write with the count 0. 0, or a negative
 * errno and the reason.
 */
int writes_pick(const struct place *places, size_t count, const struct wire_word *word,
                struct refusal *why);

/* Once all are there. */
void writes_sort(void);

/*
 * The group of the place of that number which begins at `first`. `at`: 0 at first, for all places
 * in turn.
 */
struct group writes_group(size_t number, uint64_t first, uint64_t end, size_t *at);

/* Whether the write is of all bytes of the group's word. */
bool writes_whole(const struct group *group, const struct wire_word *write);

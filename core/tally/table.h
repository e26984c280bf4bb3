/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words found by keys, of fixed size, written by one CPU in the middle of its hits: open addressing
 * without removal. A writer has no lock, allocates nothing and may be interrupted by another writer
 * of the same CPU at any instruction.
 *
 * A cell is claimed by one exchange of its state, then its key is written, then it is ready. A hit
 * that comes between the first and the last takes that cell for another key's, so one key may have
 * two cells: a reader adds up what has the same key (core/tally/lines.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/local.h"

#define TALLY_TABLE_CELLS 1024 /* of a CPU; a power of two */
#define TALLY_TABLE_PROBES                                                                         \
    32 /* cells that are looked at for a key, so that a hit's time is bounded */
#define TALLY_TABLE_PARTS 67 /* of which a key's third part is one: from 0 on */

struct tally_key {
    uint64_t words[2];
    uint64_t part; /* below TALLY_TABLE_PARTS */
};

/* The values of `state`; a greater one is ready, and what exceeds TALLY_CELL_READY is its part. */
enum tally_cell_state { TALLY_CELL_FREE, TALLY_CELL_CLAIMED, TALLY_CELL_READY };

/* [owning CPU] writes; any CPU reads what is ready. */
struct tally_cell {
    uint64_t state;
    uint64_t words[2]; /* constant once it is ready */
    uint64_t value;    /* 0 at first */
};

struct tally_table {
    struct tally_cell cells[TALLY_TABLE_CELLS];
};

static inline uint64_t tally_table_place(const struct tally_key *key)
{
    uint64_t mixed = key->words[0] ^ key->words[1] * 0xff51afd7ed558ccdull ^ key->part << 56;

    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull;
    return mixed >> 32;
}

static inline bool tally_cell_is(const struct tally_cell *cell, const struct tally_key *key)
{
    return publish_load(&cell->state) ==
               TALLY_CELL_READY + key->part && /* with A, of an outer hit */
           cell->words[0] == key->words[0] &&
           cell->words[1] == key->words[1];
}

/*
 * The key's cell; with `make`, a free one becomes it. NULL: there is none, and with `make` no room.
 * Any context of the CPU whose table it is.
 */
static inline struct tally_cell *tally_table_find(struct tally_table *table,
                                                  const struct tally_key *key, bool make)
{
    uint64_t place = tally_table_place(key);

    for (unsigned probe = 0; probe < TALLY_TABLE_PROBES; probe++) {
        struct tally_cell *cell = &table->cells[(place + probe) % TALLY_TABLE_CELLS];

        if (tally_cell_is(cell, key))
            return cell;
        if (local_load(&cell->state) != TALLY_CELL_FREE)
            continue;
        if (!make)
            return NULL;
        if (!local_compare_exchange(&cell->state, TALLY_CELL_FREE, TALLY_CELL_CLAIMED))
            continue; /* a hit has come between, and has it */
        cell->words[0] = key->words[0];
        cell->words[1] = key->words[1];
        publish_store(&cell->state, TALLY_CELL_READY + key->part); /* A */
        return cell;
    }
    return NULL;
}

/* What a reader on any CPU finds in a cell: false if it is not ready. */
static inline bool tally_table_read(const struct tally_cell *cell, struct tally_key *key,
                                    uint64_t *value)
{
    uint64_t state = publish_load(&cell->state); /* with A: the key is whole */

    if (state < TALLY_CELL_READY)
        return false;
    *key = (struct tally_key){{cell->words[0], cell->words[1]}, state - TALLY_CELL_READY};
    *value = local_load(&cell->value);
    return true;
}

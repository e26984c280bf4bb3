/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of words that are found by keys. Its size is fixed, and one CPU writes it during its
 * hits: open addressing without removal. A writer takes no lock, allocates nothing, and may be
 * interrupted by another writer of the same CPU at any instruction.
 *
 * A cell is claimed by one exchange of its state, then its key is written, then it is ready. A
 * nested hit that comes in between takes the cell for another key's, so one key may have two cells:
 * a reader adds up cells with the same key (core/tally/lines.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/local.h"

#define TALLY_TABLE_CELLS 1024 /* for each CPU; a power of two */
#define TALLY_TABLE_PROBES                                                                         \
    32 /* cells that are searched for a key, so that a hit's time is bounded */
#define TALLY_TABLE_PARTS 67 /* how many parts a key can have, from 0 on */

struct tally_key {
    uint64_t words[2];
    uint64_t part; /* below TALLY_TABLE_PARTS */
};

/*
 * The values of `state`. A greater value also means ready; its difference from TALLY_CELL_READY is
 * the part.
 */
enum tally_cell_state { TALLY_CELL_FREE, TALLY_CELL_CLAIMED, TALLY_CELL_READY };

/* [owning CPU] writes; any CPU reads cells that are ready. */
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
               TALLY_CELL_READY + key->part && /* with A, in an outer hit */
           cell->words[0] == key->words[0] &&
           cell->words[1] == key->words[1];
}

/*
 * The cell of the key; with `make`, a free cell is taken if there is none. NULL: there is none;
 * with `make`: there is no room. Any context of the CPU whose table it is.
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
            continue; /* a nested hit has taken the cell */
        cell->words[0] = key->words[0];
        cell->words[1] = key->words[1];
        publish_store(&cell->state, TALLY_CELL_READY + key->part); /* A */
        return cell;
    }
    return NULL;
}

/* Reads a cell, on any CPU; false if it is not ready. */
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

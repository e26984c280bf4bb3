/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of fixed size that maps keys to words: open addressing without removal. One CPU
 * writes it, in its hits, without locks or allocation; at any instruction another hit of that CPU
 * may interrupt.
 *
 * A writer claims a cell by one exchange of its state, writes the key, and marks the cell ready. A
 * nested hit in between takes the cell for another key's, so one key may have two cells: readers
 * add up cells with the same key (core/aggregate/lines.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/local.h"

#define AGGREGATE_TABLE_CELLS  1024 /* per CPU; a power of two */
#define AGGREGATE_TABLE_PROBES 32   /* cells searched for a key; bounds the time of a hit */

struct aggregate_key {
    uint64_t words[2];
    uint64_t part; /* histogram bucket, below 256 (aggregate_part) */
};

/* Values of `state`; the state of a ready cell is AGGREGATE_CELL_READY plus the part. */
enum aggregate_cell_state { AGGREGATE_CELL_FREE, AGGREGATE_CELL_CLAIMED, AGGREGATE_CELL_READY };

/* [owning CPU] writes; any CPU reads ready cells. */
struct aggregate_cell {
    uint64_t state;
    uint64_t words[2]; /* constant once the cell is ready */
    uint64_t value;    /* initially 0 */
};

struct aggregate_table {
    struct aggregate_cell cells[AGGREGATE_TABLE_CELLS];
};

static inline uint64_t aggregate_table_place(const struct aggregate_key *key)
{
    uint64_t mixed = key->words[0] ^ key->words[1] * 0xff51afd7ed558ccdull ^ key->part << 56;

    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull;
    return mixed >> 32;
}

static inline bool aggregate_cell_is(const struct aggregate_cell *cell,
                                     const struct aggregate_key *key)
{
    return publish_load(&cell->state) ==
               AGGREGATE_CELL_READY + key->part && /* pairs with A in an outer hit */
           cell->words[0] == key->words[0] &&
           cell->words[1] == key->words[1];
}

/*
 * Returns the key's cell, or NULL if it is absent or, with `make`, if there is no room for it. Any
 * context of the CPU that owns the table.
 */
static inline struct aggregate_cell *
aggregate_table_find(struct aggregate_table *table, const struct aggregate_key *key, bool make)
{
    uint64_t place = aggregate_table_place(key);

    for (unsigned probe = 0; probe < AGGREGATE_TABLE_PROBES; probe++) {
        struct aggregate_cell *cell = &table->cells[(place + probe) % AGGREGATE_TABLE_CELLS];

        if (aggregate_cell_is(cell, key))
            return cell;
        if (local_load(&cell->state) != AGGREGATE_CELL_FREE)
            continue;
        if (!make)
            return NULL;
        if (!local_compare_exchange(&cell->state, AGGREGATE_CELL_FREE, AGGREGATE_CELL_CLAIMED))
            continue; /* a nested hit has claimed the cell */
        cell->words[0] = key->words[0];
        cell->words[1] = key->words[1];
        publish_store(&cell->state, AGGREGATE_CELL_READY + key->part); /* A */
        return cell;
    }
    return NULL;
}

/* Returns false if the cell is not ready. Any CPU. */
static inline bool aggregate_table_read(const struct aggregate_cell *cell,
                                        struct aggregate_key *key, uint64_t *value)
{
    uint64_t state = publish_load(&cell->state); /* pairs with A: the key is complete */

    if (state < AGGREGATE_CELL_READY)
        return false;
    *key = (struct aggregate_key){{cell->words[0], cell->words[1]}, state - AGGREGATE_CELL_READY};
    *value = local_load(&cell->value);
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reached states of a history, in order: also the queue of those still to visit, and the path
 * from each back to the first. States are compared completely, not only by a hash.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/order.h"

struct state {
    uint32_t node[SIDES];      /* the next step of each */
    uint8_t memory[LOCATIONS]; /* values, by number */
    struct window window[SIDES];
};

void states_copy(struct state *to, const struct state *from);

/* How a state was reached. */
struct move {
    uint32_t from;
    uint8_t side;
    bool issued; /* just now, not taken from the window */
    bool made;   /* performed in memory; false: answered ahead, or from the side's own stores */
    struct pending what;
};

void states_reset(void);

/* False if it was already known. */
bool states_add(const struct state *state, const struct move *move);

uint32_t states_count(void);
void states_get(uint32_t number, struct state *state);
const struct move *states_move(uint32_t number);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that can happen while the two sides of a history run concurrently: visits every reachable
 * state once.
 */
#pragma once

#include <stdint.h>

#include "tests/model/order.h"

struct explored {
    uint64_t states;
    uint64_t steps;    /* ways from one state to another */
    uint64_t ends;     /* states in which both sides have ended */
    const char *fault; /* NULL: nothing wrong in any; else told with the way there on stdout */
};

/*
 * The programs were given to transcript_reset; `memory` is what the locations hold at first. Both
 * have to end with the same result.
 */
struct explored explore(const struct order *order, const uint64_t memory[LOCATIONS]);

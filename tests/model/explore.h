/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that can happen while the two sides of a history run concurrently: visits every
 * reachable state once.
 */
#pragma once

#include <stdint.h>

#include "tests/model/order.h"

struct explored {
    uint64_t states;
    uint64_t steps;    /* transitions between states */
    uint64_t ends;     /* states in which both sides have ended */
    const char *fault; /* NULL: no error; otherwise printed on stdout with the path to it */
};

/*
 * The programs were passed to transcript_reset; `memory` is the initial contents of the locations.
 * Both programs must end with the same result.
 */
struct explored explore(const struct order *order, const uint64_t memory[LOCATIONS]);

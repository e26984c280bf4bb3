/* SPDX-License-Identifier: BSD-2-Clause */
/* What main.c has measured of each method, in chains of each depth. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/bench/unwind/methods.h"

#define DEPTHS 4
extern const unsigned depths[DEPTHS];
#define DEPTH_16 1 /* depths[1]: "in all" */

struct figures {
    double least[DEPTHS];          /* ns an unwind, warm */
    double median[DEPTHS];         /* ns an unwind, warm */
    double cold;                   /* ns an unwind at DEPTH_16, median */
    uint64_t instructions[DEPTHS]; /* an unwind */
};

/* check.c: false, having said so, if a method does not find the chain that there is. */
bool check_method(const struct method *method, unsigned depth);

/* time.c: all methods in turn, round after round. False: no memory. */
bool time_methods(struct figures *figures, unsigned depth_index);
bool time_cold(struct figures *figures);

/* steps.c: executed by one unwind. 0, having said why, if they could not be counted. */
uint64_t steps_count(const struct method *method, unsigned depth);

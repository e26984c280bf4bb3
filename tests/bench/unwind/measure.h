/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of main.c for each method, in chains of each depth. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/bench/unwind/methods.h"

#define DEPTHS 4
extern const unsigned depths[DEPTHS];
#define DEPTH_16 1 /* depths[1]: "in all" */

struct figures {
    double least[DEPTHS];          /* ns per unwind, warm */
    double median[DEPTHS];         /* ns per unwind, warm */
    double cold;                   /* ns per unwind at DEPTH_16, median */
    uint64_t instructions[DEPTHS]; /* per unwind */
};

/* check.c: false, after a message, if a method does not find the actual chain. */
bool check_method(const struct method *method, unsigned depth);

/* time.c: all methods in turn, round after round. False: out of memory. */
bool time_methods(struct figures *figures, unsigned depth_index);
bool time_cold(struct figures *figures);

/* steps.c: executed by one unwind. 0, after a message, if they could not be counted. */
uint64_t steps_count(const struct method *method, unsigned depth);

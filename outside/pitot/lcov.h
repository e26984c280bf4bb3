/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes an lcov tracefile (geninfo(1), "TRACEFILE FORMAT"): how often the functions and lines with
 * code ran. Called by outside/pitot/cover.c.
 */
#pragma once

#include <stdio.h>

#include "outside/pitot/source_lines.h"

struct lcov_total {
    uint64_t lines, lines_hit, functions, functions_hit;
};

/*
 * Uses the counts of counts.h, and sorts `source`. A line's count is the highest count of its code
 * in a compilation unit, summed over all units: a line of a header has code in several.
 */
struct lcov_total lcov_write(FILE *out, struct source *source);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes an lcov tracefile, as described in the man page geninfo(1) ("TRACEFILE FORMAT"): each
 * source file with the functions and lines that have code, and how often they ran. Called by
 * outside/pitot/cover.c.
 */
#pragma once

#include <stdio.h>

#include "outside/pitot/source_lines.h"

struct lcov_total {
    uint64_t lines, lines_hit, functions, functions_hit;
};

/*
 * Uses the counts of counts.h; sorts the source. The count of a line is the highest count of its
 * code, summed over the compilation units: a line of a header has separate code in each.
 */
struct lcov_total lcov_write(FILE *out, struct source *source);

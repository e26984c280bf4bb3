/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracefile of lcov's, as its man page geninfo(1) describes it ("TRACEFILE FORMAT"): each source
 * file with the functions and lines that have code, and how often they ran. Called by
 * outside/pitot/cover.c.
 */
#pragma once

#include <stdio.h>

#include "outside/pitot/source_lines.h"

struct lcov_total {
    uint64_t lines, lines_hit, functions, functions_hit;
};

/*
 * By the counts of counts.h; sorts the source. A line has run as often as that code of it that ran
 * most; in several units of compilation, for which a header's line is code of its own each time, as
 * often as in all of them.
 */
struct lcov_total lcov_write(FILE *out, struct source *source);

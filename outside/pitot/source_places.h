/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where places of code stand in the source, and the text around them. Called by
 * outside/pitot/question.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "outside/pitot/source_lines.h"

/* Code from `first` up to, not including, `end`, as linked: an instruction or a function. */
struct source_place {
    uint64_t first, end;
    const char *file; /* NULL: it has no line */
    int line, last;   /* of a function: where it is declared, and its last line with code */
};

/*
 * Finds the lines of places, which are sorted by address and do not overlap; of functions if
 * `functions`.
 */
void source_places_find(const struct source *source, bool functions, struct source_place *places,
                        size_t count);

/*
 * Writes the file as JSON: its name, its text around the places that it has, and a note if that may
 * be wrong or is missing.
 */
void source_places_write(FILE *out, const struct kernel *kernel, const char *file,
                         const struct source_place *places, size_t count);

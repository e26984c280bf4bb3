/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which source lines the kernel's code was compiled from, and its functions, by DWARF (libdw).
 * Only code in executable segments counts: what the linker has dropped keeps its lines, at address
 * 0.
 * Called by outside/pitot/cover.c and lcov.c.
 */
#pragma once

#include <stddef.h>

#include "outside/pitot/kernel.h"

/* Code of a line. The last byte is before `end`; a line that has no code of its own has one. */
struct source_line {
    const char *file; /* absolute, if it was found; equal files are one pointer */
    int line;
    unsigned unit; /* of compilation */
    uint64_t first, end;
};

struct source_function {
    const char *file, *name;
    int line;
    uint64_t entry;
};

struct source {
    struct source_line *lines;
    size_t line_count;
    struct source_function *functions;
    size_t function_count;
};

/* In no order. 0, or a negative errno and the reason. */
int source_read(struct source *source, const struct kernel *kernel, struct refusal *why);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source lines and functions of the kernel's code, from DWARF (libdw). Code outside the
 * executable segments is ignored: code that the linker dropped has address 0. Called by
 * outside/pitot/cover.c, lcov.c and question.c.
 */
#pragma once

#include <stddef.h>

#include "outside/pitot/kernel.h"

/*
 * The code of a line, from `first` up to, not including, `end`. A line without code of its own gets
 * one byte.
 */
struct source_line {
    const char *file; /* absolute, if found; equal files have the same pointer */
    int line;
    unsigned unit; /* compilation unit */
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

/* The result is not sorted. */
int source_read(struct source *source, const struct kernel *kernel, struct refusal *why);

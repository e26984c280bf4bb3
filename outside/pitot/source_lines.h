/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of the kernel's code, from debug information (DWARF, libdw): lines and functions, the
 * files that it names, and where places of code stand in them. Called by outside/pitot/cover.c and
 * question.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/*
 * The result is not sorted. Code outside the executable segments is ignored: code that the linker
 * dropped has address 0.
 */
int source_read(struct source *source, const struct kernel *kernel, struct refusal *why);

/* --- Files: source_file.c --- */

/*
 * A kernel's file may name any file of the host, whose text genhtml would then print: only files
 * below the current folder or the folder of the kernel's file are taken. A folder within a git
 * repository stands for the whole of it.
 */

/*
 * Returns the file's path, the same pointer for the same file; for a file that is not there, the
 * path as it was compiled; source_file_outside for one that lies elsewhere. NULL: no memory.
 */
const char *source_file(const struct kernel *kernel, const char *compiled);

extern const char source_file_outside[];

/* Says how many files lie elsewhere, and what to do, in a text to be freed; NULL: none. */
char *source_file_left_out_text(void);

/* Reports that on stderr. */
void source_file_tell(void);

/* How many they are. */
size_t source_file_left_out(void);

/* --- Places of code, and the text around them: source_places.c --- */

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the source files that debug information names. A kernel's file may name any file of the
 * host, whose text genhtml would then print: only files below the current folder or the folder of
 * the kernel's file are taken. A folder within a git repository stands for the whole of it. Called
 * by outside/pitot/source_lines.c, cover.c and question.c.
 */
#pragma once

#include <stddef.h>

#include "outside/pitot/kernel.h"

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

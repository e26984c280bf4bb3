/* SPDX-License-Identifier: BSD-2-Clause */
/* The files in /bin, sorted by name, for `run` and TAB. The console's thread only. */
#pragma once

#include <stddef.h>

/* Reads the directory again; returns the number of files. */
size_t program_names_read(void);

/*
 * Return the name ("fs-load") or the path ("/bin/fs-load") of the index-th file, as of the last
 * read; NULL past the end.
 */
const char *program_name(size_t index);
const char *program_path(size_t index);

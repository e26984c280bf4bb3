/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of /bin in order of their names, for those who choose one by name: `run`, and TAB. Task
 * context, the console's thread alone.
 */
#pragma once

#include <stddef.h>

/* Reads the directory anew; how many there are. */
size_t program_names_read(void);

/* The index-th of those that were read last: "fs-load", and "/bin/fs-load". NULL past the end. */
const char *program_name(size_t index);
const char *program_path(size_t index);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a source file named in debug information. Called by outside/pitot/source_lines.c. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/*
 * A relative path (of a build that removes its folder from paths) is searched for from the current
 * folder upwards, then from the folder of the kernel's file. NASM repeats a source's folder: the
 * part after // is searched for from there upwards. False: no such file.
 */
bool source_path_find(const char *compiled, const char *kernel, char found[PATH_MAX]);

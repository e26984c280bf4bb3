/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a source file lies that debug information names. Called by outside/pitot/source_lines.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/*
 * A relative path (a kernel whose build maps its folder away) is looked for from the current folder
 * upwards, then from the folder of the kernel's file. NASM says the folder of a source twice: what
 * follows // is looked for from there upwards. False: there is no such file.
 */
bool source_path_find(const char *compiled, const char *kernel, char found[PATH_MAX]);

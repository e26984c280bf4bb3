/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes an x86-64 ELF file with the symbols of elf_symbols.h, for a kernel without a file that perf
 * can read. Called by outside/pitot/kernel.c.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"

/*
 * Computes the segments that cover all functions; functions far apart are in separate segments.
 * Returns their number; 0: there is no function, or there are too many segments.
 */
size_t made_elf_segments(struct segment segments[KERNEL_SEGMENTS_MAX]);

/*
 * Writes the ELF file as an anonymous file. `file`: contents with the segments' bytes at their
 * offsets; NULL: no bytes. Returns a descriptor that a child inherits, or a negative errno and the
 * reason.
 */
int made_elf_write(const struct segment *segments, size_t count, const char *file,
                   struct refusal *why);

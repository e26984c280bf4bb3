/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes an x86-64 ELF file of the symbols of elf_symbols.h, for perf. Called by
 * outside/pitot/kernel.c.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"

/*
 * Computes segments that cover all functions; functions that are far apart get separate ones.
 * Returns their number; 0: there is no function, or too many segments.
 */
size_t made_elf_segments(struct segment segments[CODE_MOST]);

/*
 * Writes an anonymous file. `file` has the bytes of the segments at their offsets; NULL: no bytes.
 * Returns a descriptor that a child inherits, or a negative errno and the reason.
 */
int made_elf_write(const struct segment *segments, size_t count, const char *file,
                   struct refusal *why);

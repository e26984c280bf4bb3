/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file of x86-64 with the symbols of elf_symbols.h, for a kernel that has none which perf
 * could read. Called by outside/pitot/kernel.c.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"

/*
 * The segments around all functions; what lies far apart is in several. Their number; 0: there is
 * no function, or they need more than there is room for.
 */
size_t made_elf_segments(struct segment segments[KERNEL_SEGMENTS_MAX]);

/*
 * Writes it to a file that is in no folder. `file`: where the segments' bytes are, at their
 * offsets; NULL: they have none. The descriptor, which a child inherits, or a negative errno and
 * the reason.
 */
int made_elf_write(const struct segment *segments, size_t count, const char *file,
                   struct refusal *why);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF file of QEMU's kernel: code segments and build id; its symbols are those of
 * core/symbols/symbols.h (outside/pitot/elf_symbols.c). Called by outside/pitot/main.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/files.h"
#include "outside/request.h"

#define KERNEL_BUILD_ID_MAX 20 /* longest build id that perf compares, in bytes */

struct segment {
    uint64_t address, size;
    uint64_t offset, filled; /* in the file: the offset and the number of bytes */
};

struct kernel {
    char path[PATH_MAX]; /* absolute */
    const char *name;    /* the path's last component, as plain_text makes it */
    int made; /* descriptor of a substitute file that perf can read (made_elf.c); or -1 */
    bool stripped;
    unsigned build_id_size; /* 0: no build id */
    uint8_t build_id[KERNEL_BUILD_ID_MAX];
    size_t segment_count;
    struct segment code[CODE_MOST]; /* the executable segments */
};

/* Opens an ELF file of 64-bit code or, if `listed`, a list of symbols (symbol_list.c). */
int kernel_open(struct kernel *kernel, const char *path, bool listed, struct refusal *why);

/*
 * Returns the range from the first to the last byte of code. If there is code in the upper half of
 * the address space, omits code in the lower half: it runs before paging, and firmware lies
 * between.
 */
struct segment kernel_text(const struct kernel *kernel);

/* True if kernel_text includes the segment. */
bool kernel_is_text(const struct kernel *kernel, const struct segment *segment);

/* --- The substitute, an x86-64 ELF file of the symbols of elf_symbols.h: made_elf.c --- */

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

/* Writes the substitute file to an output that is open as `file`, which it closes. */
int kernel_write_made(const struct kernel *kernel, const struct output *output, int file,
                      struct refusal *why);

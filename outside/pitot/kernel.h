/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF file of the kernel that QEMU runs: where its code lies, and which build it is. Its
 * symbols are looked up by core/symbols/symbols.h (outside/pitot/elf_symbols.c). Called by
 * outside/pitot/main.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

#define KERNEL_SEGMENTS_MAX 32
#define KERNEL_BUILD_ID_MAX 20 /* bytes of it that perf compares */

struct segment {
    uint64_t address, size;
    uint64_t offset, filled; /* in the file: where, and how many bytes */
};

struct kernel {
    char path[PATH_MAX]; /* absolute */
    const char *name;    /* the path's last part */
    int made;            /* in place of the file, one that perf can read (made_elf.h); or -1 */
    bool stripped;
    unsigned build_id_size; /* 0: it has none */
    uint8_t build_id[KERNEL_BUILD_ID_MAX];
    size_t segment_count;
    struct segment code[KERNEL_SEGMENTS_MAX]; /* what is loaded to be executed */
};

/*
 * An ELF file of 64-bit code; or, `listed`, a list of symbols (outside/pitot/symbol_list.h). 0, or
 * a negative errno and the reason.
 */
int kernel_open(struct kernel *kernel, const char *path, bool listed, struct refusal *why);

/* Writes the file that was made to that path. 0, or a negative errno and the reason. */
int kernel_write_made(const struct kernel *kernel, const char *path, struct refusal *why);

/*
 * From the first to the last byte of its code. Where some lies in the high half, the low rest runs
 * before paging, and firmware lies between the two: it is left out.
 */
struct segment kernel_text(const struct kernel *kernel);

/* Whether the segment is not left out. */
bool kernel_is_text(const struct kernel *kernel, const struct segment *segment);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program's build id and symbols (section .symtab_blob), for perf. Read once
 * per file and build, when a program starts, and kept for ever because samples outlive processes.
 * So any context may read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pitot.h"
#include "kernel/fs/ramfs.h"
#include "kernel/user/elf.h"

#define PROGRAM_BUILD_ID_SIZE 20
#define PROGRAMS_MAX          32

struct program_segment {
    uintptr_t start, end; /* [start, end) in each process that runs the program */
    bool executable;
};

struct program {
    struct pitot_program known; /* first: Pitot's view, with pointers into the rest */
    char path[FS_PATH_MAX + 1];
    uint8_t build_id[PROGRAM_BUILD_ID_SIZE]; /* all zero: none */
    struct pitot_symbols symbols;            /* none if the file has no valid table */
    void *table;                             /* the block of pages that they are in, or NULL */
    struct program_segment segment[ELF_SEGMENTS];
    unsigned segment_count;
};

_Static_assert(offsetof(struct program, known) == 0, "a host_program is its program's address");
_Static_assert(FS_PATH_MAX < PITOT_PATH_SIZE, "each path is one of the host's");

/*
 * Loads the program in this file. Returns NULL and the reason if the file cannot be read or
 * PROGRAMS_MAX programs are known already. Task context.
 */
const struct program *program_load(const char *path, struct refusal *why);

/* Returns the segment that contains all of these bytes; NULL: none. Any context. */
const struct program_segment *program_segment_of(const struct program *program, uintptr_t address,
                                                 size_t length);

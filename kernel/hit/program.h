/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf must know of a program beside its process: its build id, and the symbols that the build
 * wrote into its file (the section .symtab_blob, core/abi/symtab.h). Both are read when a program
 * is started, once for each file and build, and kept for ever: samples outlive processes. So code
 * that has one may read it in any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host.h"
#include "core/symbols/table.h"
#include "kernel/fs/ramfs.h"
#include "kernel/user/elf.h"

#define PROGRAM_BUILD_ID_SIZE 20
#define PROGRAMS_MAX          32

struct program_segment {
    uintptr_t start, end; /* [start, end) is in the memory of each process that runs it */
    bool executable;
};

struct program {
    struct host_program known; /* first: what Pitot has of it, pointers into the rest */
    char path[FS_PATH_MAX + 1];
    uint8_t build_id[PROGRAM_BUILD_ID_SIZE]; /* all zero: it has none */
    struct symbol_table symbols;             /* without any if its file has no sound table */
    struct program_segment segment[ELF_SEGMENTS];
    unsigned segment_count;
};

_Static_assert(offsetof(struct program, known) == 0, "a host_program is its program's address");
_Static_assert(FS_PATH_MAX < HOST_PATH_SIZE, "each path is one of the host's");

/*
 * The program in this file. NULL and the reason: it cannot be read, or there are PROGRAMS_MAX
 * already. Task context.
 */
const struct program *program_load(const char *path, struct refusal *why);

/* The segment that has all of these bytes; NULL: none. Any context. */
const struct program_segment *program_segment_of(const struct program *program, uintptr_t address,
                                                 size_t length);

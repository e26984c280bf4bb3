/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of an ELF file, looked at with every bound: what is to be loaded where, and where its
 * sections are described. Pure, any context. Source: System V ABI, "Object Files" and "Program
 * Loading", and its AMD64 supplement.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/space.h"
#include "core/lib/refusal.h"

#define ELF_SEGMENTS    8
#define ELF_HEADER_MOST 1024        /* bytes at the start of a file that its headers must lie in */
#define ELF_MEMORY_MOST (16u << 20) /* bytes of all segments */

struct elf_segment {
    uintptr_t address;  /* the same place in its page as `offset` */
    size_t size;        /* in memory: what is not from the file is zero */
    uint64_t offset;    /* in the file, */
    uint64_t file_size; /* ... from where so many bytes are */
    enum arch_page access;
};

struct elf_image {
    uintptr_t entry; /* in an executable segment */
    unsigned count;
    struct elf_segment segment[ELF_SEGMENTS]; /* ascending, no two in one page */
};

/*
 * `start` has the file's first bytes, ELF_HEADER_MOST or all. 0, or -ENOEXEC and what is wrong.
 */
int elf_read(const void *start, size_t length, uint64_t file_size, struct elf_image *image,
             struct refusal *why);

/* Where a file's section headers lie, how many, and which one holds the sections' names. */
struct elf_sections {
    uint64_t offset;
    unsigned count, names;
};

/* `start` as above. False: no program of x86-64, or its section headers are not the usual ones. */
bool elf_find_sections(const void *start, size_t length, struct elf_sections *sections);

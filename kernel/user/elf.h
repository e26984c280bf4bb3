/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of an ELF file is to be loaded where: its headers, looked at with every bound. Pure, any
 * context. Source: System V ABI, "Object Files" and "Program Loading", and its AMD64 supplement.
 */
#pragma once

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

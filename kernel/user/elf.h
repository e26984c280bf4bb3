/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the headers of an ELF file, checking every bound. Pure, any context, but for the last two.
 * Source: System V ABI, "Object Files" and "Program Loading", and its AMD64 supplement.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "kernel/x86_64/user.h"

#define ELF_SEGMENTS    8
#define ELF_HEADER_MOST 1024        /* bytes at the start of a file that must contain its headers */
#define ELF_MEMORY_MOST (16u << 20) /* total bytes of all segments */

struct elf_segment {
    uintptr_t address;  /* its offset in its page equals that of `offset` */
    size_t size;        /* in memory; bytes not from the file are zero */
    uint64_t offset;    /* in the file */
    uint64_t file_size; /* bytes from the file */
    enum arch_page access;
};

struct elf_image {
    uintptr_t entry; /* in an executable segment */
    unsigned count;
    struct elf_segment segment[ELF_SEGMENTS]; /* ascending, no two in one page */
};

/*
 * `start`: the file's first ELF_HEADER_MOST bytes, or the whole file if it is shorter. Returns 0,
 * or -ENOEXEC and the reason.
 */
int elf_read(const void *start, size_t length, uint64_t file_size, struct elf_image *image,
             struct refusal *why);

/* Offset and number of a file's section headers, and the index of the section with their names. */
struct elf_sections {
    uint64_t offset;
    unsigned count, names;
};

/*
 * `start` as above. Returns false if the file is not for x86-64, or its section headers are
 * unusable.
 */
bool elf_find_sections(const void *start, size_t length, struct elf_sections *sections);

/* --- The file itself, for its program or its symbols. Task context. --- */

struct elf_start {
    unsigned char bytes[ELF_HEADER_MOST];
    size_t length;
    uint64_t file_size;
};

/* Reads exactly `length` bytes. Returns 0 or a negative errno; -EIO if the file is shorter. */
int elf_file_read(int fd, uint64_t offset, void *to, size_t length);

/* Reads the start of the file, and determines its size. Returns 0 or a negative errno. */
int elf_file_start(int fd, struct elf_start *start);

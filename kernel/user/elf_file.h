/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a program's file, to load it or its symbols. Task context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/user/elf.h"

struct elf_start {
    unsigned char bytes[ELF_HEADER_MOST];
    size_t length;
    uint64_t file_size;
};

/* Reads exactly `length` bytes. Returns 0 or a negative errno; -EIO if the file is shorter. */
int elf_file_read(int fd, uint64_t offset, void *to, size_t length);

/* Reads the start of the file, and determines its size. Returns 0 or a negative errno. */
int elf_file_start(int fd, struct elf_start *start);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading of a program's file at any place of it, and of what kernel/user/elf.h takes its headers
 * from. For those that load a program, and that read its names. Task context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/user/elf.h"

struct elf_start {
    unsigned char bytes[ELF_HEADER_MOST];
    size_t length;
    uint64_t file_size;
};

/* All of these bytes: 0; else what is wrong, -EIO for a file that is shorter. */
int elf_file_read(int fd, uint64_t offset, void *to, size_t length);

/* The file's beginning: 0, or what is wrong. */
int elf_file_start(int fd, struct elf_start *start);

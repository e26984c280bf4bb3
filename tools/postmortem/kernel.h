/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's ELF file: its symbols, and the symbol table that the kernel itself uses, so that
 * names are the same as in the kernel (core/symbols/symbols.c, unchanged). Functions that return
 * false have printed the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/postmortem/memory.h"

#define KERNEL_BUILD_ID_SIZE 20

struct kernel {
    const char *path;
    uint8_t build_id[KERNEL_BUILD_ID_SIZE];
    uint64_t text, text_size;
    uint64_t recorder;      /* address of the struct recorder */
    uint64_t build_id_note; /* address of the ELF note with the build id */
};

bool kernel_open(struct kernel *kernel, const char *path);

/* True if this kernel is in that memory. */
bool kernel_is_in(const struct kernel *kernel, struct memory *memory);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the boot loader tells: memory, command line, ACPI's root pointer, the first module. Two
 * readers fill it in, boot/multiboot2.h and boot/pvh.h, whichever loader it was; once at boot, on
 * the loader's mapping and before any page is given out.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/memory/paging.h"
#include "drivers/acpi.h"
#include "kernel/cmdline.h"

#define BOOT_RANGES_MAX   64
#define BOOT_COMMAND_LINE (CMDLINE_SIZE + 1) /* so that one that had to be cut is too long */

struct boot_information {
    /* usable, whole pages, ascending as the firmware gave them */
    struct paging_range memory[BOOT_RANGES_MAX];
    size_t memory_count;
    size_t memory_ignored;      /* ranges past BOOT_RANGES_MAX */
    struct paging_range loader; /* the information itself, which is left alone */
    struct paging_range module; /* the pages of the programs' archive; empty: none */
    uint64_t module_start;      /* its first byte, in them */
    size_t module_size;         /* its bytes; 0: none */
    uint32_t low_page;          /* a free one below 1 MiB, where CPUs can start; 0: none */
    char command_line[BOOT_COMMAND_LINE];
    uint8_t acpi_root[ACPI_ROOT_SIZE]; /* a copy of the RSDP, revision 2 where there is one */
    size_t acpi_root_size;             /* 0: none */
};

/*
 * Adds usable memory: the whole pages in it that are not below 1 MiB, of which `low_page` may be
 * one. `loader` stands already.
 */
void information_add_memory(struct boot_information *out, uint64_t base, uint64_t length);

/* The first module is [start, end); later ones, and empty ones, do not count. */
void information_add_module(struct boot_information *out, uint64_t start, uint64_t end);

/* At most `length` bytes of text, which may end before by a NUL. */
void information_set_command_line(struct boot_information *out, const char *text, size_t length);

/* A copy of the RSDP; the longer one counts. */
void information_add_acpi_root(struct boot_information *out, const void *root, size_t length);

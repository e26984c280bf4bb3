/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the boot loader tells: memory, command line, ACPI's root pointer, the first module. Source:
 * Multiboot2 Specification 2.0, "Boot information format". Read once at boot, while the loader's
 * pages are still mapped and before any page is given out.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/paging.h"

#define MULTIBOOT2_BOOTLOADER_MAGIC 0x36d76289

#define BOOT_RANGES_MAX   64
#define BOOT_COMMAND_LINE 4096

struct boot_information {
    /* usable, whole pages, ascending as the firmware gave them */
    struct paging_range memory[BOOT_RANGES_MAX];
    size_t memory_count;
    size_t memory_ignored;      /* ranges past BOOT_RANGES_MAX */
    struct paging_range loader; /* the information itself, which is left alone */
    struct paging_range module; /* the programs' archive, whole pages; empty: none */
    size_t module_size;         /* its bytes, from module.start on */
    uint32_t low_page;          /* a free one below 1 MiB, where CPUs can start; 0: none */
    char command_line[BOOT_COMMAND_LINE];
    uint8_t acpi_root[36]; /* a copy of the RSDP, revision 2 where there is one */
    size_t acpi_root_size; /* 0: none */
};

void multiboot2_read(uint32_t physical, struct boot_information *out);

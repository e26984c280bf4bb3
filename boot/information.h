/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Information from the boot loader: memory, command line, ACPI's root pointer, the first module.
 * Read once, on the loader's mapping, before any page is allocated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "drivers/acpi.h"
#include "kernel/cmdline.h"
#include "kernel/x86_64/memory/paging.h"

#define BOOT_RANGES_MAX   64
#define BOOT_COMMAND_LINE (CMDLINE_SIZE + 1) /* so that a truncated line counts as too long */

struct boot_information {
    /* Usable memory in whole pages, in the firmware's ascending order. */
    struct paging_range memory[BOOT_RANGES_MAX];
    size_t memory_count;
    size_t memory_ignored;      /* ranges beyond BOOT_RANGES_MAX */
    struct paging_range loader; /* the loader's copy, which must not be overwritten */
    struct paging_range module; /* pages of the program archive; empty: none */
    uint64_t module_start;      /* address of the archive, in these pages */
    size_t module_size;         /* bytes of the archive; 0: none */
    uint32_t low_page;          /* free page below 1 MiB, where CPUs can start; 0: none */
    char command_line[BOOT_COMMAND_LINE];
    uint8_t acpi_root[ACPI_ROOT_SIZE]; /* copy of the RSDP, of revision 2 if there is one */
    size_t acpi_root_size;             /* 0: none */
};

/*
 * Reads what a Multiboot2 loader (GRUB) has left. Source: Multiboot2 Specification 2.0, "Boot
 * information format".
 */
void multiboot2_read(uint32_t physical, struct boot_information *out);

#define PVH_MAGIC 0x336ec578 /* "xEn3" with bit 7 of E set: the first word of the information */

/*
 * Reads what a loader that enters by the PVH note has left (QEMU's -kernel, other virtual machine
 * monitors), trusting no address or length before `reach` has confirmed it. Fields of `out` stay
 * empty if their source is missing or out of reach. Returns NULL, or why the information cannot be
 * used. Source: Xen, xen/include/public/arch-x86/hvm/start_info.h.
 */
const char *pvh_read(uint32_t physical, acpi_reach *reach, struct boot_information *out);

/*
 * Adds the whole pages of usable memory from 1 MiB on. A page below 1 MiB may become
 * `low_page`, so `loader` must already be set.
 */
void information_add_memory(struct boot_information *out, uint64_t base, uint64_t length);

/* Sets the module to [start, end). Later modules, and empty ones, are ignored. */
void information_add_module(struct boot_information *out, uint64_t start, uint64_t end);

/* Copies `text` up to its NUL, at most `length` bytes. */
void information_set_command_line(struct boot_information *out, const char *text, size_t length);

/* Copies the RSDP; the longest of several is kept. */
void information_add_acpi_root(struct boot_information *out, const void *root, size_t length);

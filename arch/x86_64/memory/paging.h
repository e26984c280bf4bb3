/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's page tables. There are two main mappings: the image at KERNEL_BASE (text read-only
 * and executable, rodata read-only, the rest writable; guard pages below stacks left out), and all
 * memory except the image at DIRECT_BASE, writable. So text, rodata and the guard pages of stacks
 * have no writable alias, except while a site is patched (arch/x86_64/memory/patch.c). In addition,
 * the stacks of threads and CPUs (arch/x86_64/entry/stacks.h), which map pages of memory a second
 * time, and some device registers. Everything but text is NX. Source: Intel SDM vol. 3, "4-Level
 * Paging".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/memory/sections.h"

#define PTE_PRESENT  (1ull << 0)
#define PTE_WRITABLE (1ull << 1)
#define PTE_USER     (1ull << 2)
#define PTE_UNCACHED (3ull << 3) /* PWT and PCD */
#define PTE_LARGE    (1ull << 7)
#define PTE_GLOBAL   (1ull << 8)
#define PTE_NX       (1ull << 63)
#define PTE_ADDRESS  0x000ffffffffff000ull

#define PAGING_LEVELS  4
#define PAGING_ENTRIES 512

/* The index of the entry for `address` in its table at `level`; level 0 is the lowest. */
static inline unsigned paging_index(uintptr_t address, unsigned level)
{
    return address >> (12 + 9 * level) & (PAGING_ENTRIES - 1);
}

/* The table or page of memory that the entry points to. */
static inline uint64_t *paging_table_of(uint64_t entry)
{
    return direct_address(entry & PTE_ADDRESS);
}

struct paging_range {
    uint64_t start, end; /* physical, [start, end) */
};

/*
 * Builds the tables from pages returned by `allocate` (zeroed, inside the boot loader's first 4 GiB
 * at DIRECT_BASE) and switches to them. ARCH_KEPT variables are at physical address `kept` from
 * then on, with the previous contents of that memory; 0: where the image has them. False:
 * `allocate` ran out of pages. Boot, interrupts off.
 */
bool paging_init(const struct paging_range *memory, size_t count, uint64_t kept,
                 void *(*allocate)(void));

/* The physical address of the kernel's own root table. Any context, after paging_init. */
uint64_t paging_root(void);

/* Sets the control registers for these tables, on each CPU. Interrupts off. */
void paging_set_control(void);

/*
 * Maps a zeroed page of memory at `address`, where nothing is mapped: in a stack slot, called by
 * the slot's owner. False: out of memory. Task context.
 */
bool paging_add_page(uintptr_t address);

/*
 * Maps the page of device registers at this physical address, uncached; NULL: no free slot. The
 * result points at the address itself. Boot, after paging_init.
 */
volatile void *paging_map_device(uint64_t physical);

/* A leaf: the mapping of one page-table entry. */
struct paging_leaf {
    uintptr_t address;
    uint64_t physical;
    uint64_t size;
    uint64_t flags; /* PTE_*: of the leaf, with the effective NX and WRITABLE */
};

/* The leaf that maps `address`; false: none. Any context. */
bool paging_find(uintptr_t address, struct paging_leaf *leaf);

/*
 * True for memory, false for device registers: everything mapped from the memory map is cached, and
 * everything that paging_map_device has mapped is not. Every check of whether an address is safe to
 * read uses this function. Any context.
 */
bool paging_is_memory(const struct paging_leaf *leaf);

/*
 * Maps the two pages of text from `page` on, writable, at the returned address, until
 * paging_alias_close; text has a second mapping only during that time. One at a time, interrupts
 * off between the two calls.
 */
uint8_t *paging_alias_open(uintptr_t page);
void paging_alias_close(void);

/*
 * Writes one byte of text, at least seven bytes before its end (patch.c). Interrupts off, all other
 * CPUs parked.
 */
void patch_byte(uintptr_t address, uint8_t byte);

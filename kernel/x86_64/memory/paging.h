/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's page tables: the image at KERNEL_BASE (text read-only and executable, rodata
 * read-only, the rest writable; guards of stacks unmapped); all memory but the image at
 * DIRECT_BASE, writable; the stacks of threads and CPUs (kernel/x86_64/entry/stacks.h); some device
 * registers. Only text is executable. Text, rodata and guards have no writable alias, except while
 * a site is patched (image.c). Source: Intel SDM vol. 3, "4-Level Paging".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/memory.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/user.h"

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

/* The index of `address` in its table at `level`; level 0 is the lowest. */
static inline unsigned paging_index(uintptr_t address, unsigned level)
{
    return address >> (12 + 9 * level) & (PAGING_ENTRIES - 1);
}

/* The table or page that the entry points to. */
static inline uint64_t *paging_table_of(uint64_t entry)
{
    return direct_address(entry & PTE_ADDRESS);
}

struct paging_range {
    uint64_t start, end; /* physical, [start, end) */
};

/*
 * Builds the tables from pages of `allocate` (zeroed, in the boot loader's first 4 GiB at
 * DIRECT_BASE) and switches to them. ARCH_KEPT variables move to physical address `kept` and take
 * the values found there; if `kept` is 0, they stay in the image. Returns false if out of pages.
 * Boot, interrupts off.
 */
bool paging_init(const struct paging_range *memory, size_t count, uint64_t kept,
                 void *(*allocate)(void));

/* The kernel's root table, physical. Any context, after paging_init. */
uint64_t paging_root(void);

/* Sets this CPU's control registers for these tables. Interrupts off. */
void paging_set_control(void);

/* Maps a zeroed page in the caller's stack slot; returns false if out of memory. Task context. */
bool paging_add_page(uintptr_t address);

/* Maps device registers at `physical`, uncached; NULL: no room. Boot, after paging_init. */
volatile void *paging_map_device(uint64_t physical);

struct paging_leaf {
    uintptr_t address;
    uint64_t physical;
    uint64_t size;
    uint64_t flags; /* PTE_*, with the effective NX and WRITABLE */
};

/* Stores the leaf that maps `address`; returns false if there is none. Any context. */
bool paging_find(uintptr_t address, struct paging_leaf *leaf);

/* False for device registers, which are mapped uncached: not safe to read. Any context. */
bool paging_is_memory(const struct paging_leaf *leaf);

/*
 * Maps two pages of text, from `page` on, writable at the returned address until
 * paging_alias_close. One caller at a time, interrupts off.
 */
uint8_t *paging_alias_open(uintptr_t page);
void paging_alias_close(void);

/* --- Programs' address spaces (space.c), beyond kernel/x86_64/user.h. --- */

/* The root table; the upper half is the kernel's. */
struct arch_space {
    uint64_t entry[PAGING_ENTRIES];
};

_Static_assert(sizeof(struct arch_space) == PAGE_SIZE, "a space is its root table");

/* Sets the functions that allocate (zeroed) and free pages. Boot, after paging_init. */
void space_init(void *(*allocate)(void), void (*give_back)(void *page));

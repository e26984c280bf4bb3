/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's page tables. Two mappings: the image at KERNEL_BASE (text read-only and executable,
 * rodata read-only, the rest writable; guard pages below stacks left out) and all memory at
 * DIRECT_BASE, writable, without the image: so text and rodata have no writable alias, and a
 * stack's guard page no back door (but for the moment in which a site is patched,
 * arch/x86_64/memory/patch.c). Beside them the stacks of threads and CPUs
 * (arch/x86_64/entry/stacks.h), pages of memory once more, and some registers of devices.
 * Everything but text is NX. Source: Intel SDM vol. 3, "4-Level Paging".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTE_PRESENT  (1ull << 0)
#define PTE_WRITABLE (1ull << 1)
#define PTE_USER     (1ull << 2)
#define PTE_UNCACHED (3ull << 3) /* PWT and PCD */
#define PTE_LARGE    (1ull << 7)
#define PTE_GLOBAL   (1ull << 8)
#define PTE_NX       (1ull << 63)
#define PTE_ADDRESS  0x000ffffffffff000ull

struct paging_range {
    uint64_t start, end; /* physical, [start, end) */
};

/*
 * Builds the tables from pages that `allocate` gives (zeroed, inside the boot loader's first 4 GiB
 * at DIRECT_BASE) and switches to them. Variables that are ARCH_KEPT lie at the physical address
 * `kept` from then on, with what was there before; 0: where the image has them. False: `allocate`
 * had no more. Boot, interrupts off.
 */
bool paging_init(const struct paging_range *memory, size_t count, uint64_t kept,
                 void *(*allocate)(void));

/* The physical address of the kernel's own root table. Any context, after paging_init. */
uint64_t paging_root(void);

/* What the control registers have to say about it, on each CPU. Interrupts off. */
void paging_set_control(void);

/*
 * A page of memory, all zero, at `address`, where nothing is mapped: in a slot for stacks, whose
 * owner calls. False: there is no memory. Task context.
 */
bool paging_add_page(uintptr_t address);

/*
 * The page with the registers of a device at this physical address, uncached; NULL: no room for
 * another. What it returns points at the address itself. Boot, after paging_init.
 */
volatile void *paging_map_device(uint64_t physical);

/* A leaf: what one page-table entry maps. */
struct paging_leaf {
    uintptr_t address;
    uint64_t physical;
    uint64_t size;
    uint64_t flags; /* PTE_*: of the leaf, with NX and WRITABLE as the upper levels leave them */
};

/* The leaf that maps `address`; false where nothing does. Any context. */
bool paging_find(uintptr_t address, struct paging_leaf *leaf);

/*
 * Memory, and no registers of a device: all that is mapped from the memory map is cached, and all
 * that paging_map_device has mapped is not. What may be read unasked is decided here alone. Any
 * context.
 */
bool paging_is_memory(const struct paging_leaf *leaf);

/*
 * The two pages of text from `page` on, writable at the address returned, until paging_alias_close;
 * the only time at which text has a second mapping. One at a time, interrupts off between the two.
 */
uint8_t *paging_alias_open(uintptr_t page);
void paging_alias_close(void);

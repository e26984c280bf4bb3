/* SPDX-License-Identifier: BSD-2-Clause */
/* See paging.h: builds the page tables and walks them. */
#include "kernel/x86_64/memory/paging.h"

#include "arch/local.h"
#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"
#include "kernel/x86_64/entry/stacks.h"

#define LARGE_PAGE_SIZE (PAGING_ENTRIES * PAGE_SIZE)

/* Text is written through this address, which is otherwise unmapped. */
#define ALIAS_BASE  0xffffc00000000000ull
#define ALIAS_PAGES 2

/* Device registers, uncached, in order of request. */
#define DEVICE_BASE  0xffffc20000000000ull
#define DEVICE_PAGES 8

static uint64_t *alias_entries;      /* of ALIAS_BASE; set at boot */
static uint64_t *device_entries;     /* of DEVICE_BASE; set at boot */
static unsigned device_count;        /* written at boot */
static void *(*allocate_page)(void); /* set at boot, like the next one */
static uint64_t root_table;          /* physical; programs' spaces share its upper half */

struct builder {
    uint64_t *root;
    void *(*allocate)(void);
    bool failed;
};

/* Number of bytes that an entry at `level` covers; level 0 is the lowest. */
static uint64_t paging_span(unsigned level)
{
    return PAGE_SIZE << (9 * level);
}

/* Returns the entry for `address` at `level`; creates missing tables. NULL if out of memory. */
static uint64_t *paging_entry(struct builder *builder, uintptr_t address, unsigned level)
{
    uint64_t *table = builder->root;

    for (unsigned upper = PAGING_LEVELS - 1; upper > level; upper--) {
        uint64_t *entry = &table[paging_index(address, upper)];

        if (!(*entry & PTE_PRESENT)) {
            void *page = builder->allocate();

            /* spaces have copied the root table, so its entries are final */
            arch_check(upper < PAGING_LEVELS - 1 || !root_table);
            if (!page)
                return NULL;
            *entry = direct_physical(page) | PTE_PRESENT | PTE_WRITABLE;
        }
        table = paging_table_of(*entry);
    }
    return &table[paging_index(address, level)];
}

/* Maps [address, end) to memory from `physical` on, in large pages where both are aligned. */
static void paging_map(struct builder *builder, uintptr_t address, uintptr_t end, uint64_t physical,
                       uint64_t flags)
{
    while (address < end && !builder->failed) {
        bool large =
            (address | physical) % LARGE_PAGE_SIZE == 0 && end - address >= LARGE_PAGE_SIZE;
        uint64_t *entry = paging_entry(builder, address, large);

        builder->failed = !entry;
        if (!entry)
            return;
        *entry = physical | flags | PTE_PRESENT | PTE_GLOBAL | (large ? PTE_LARGE : 0);
        address += paging_span(large);
        physical += paging_span(large);
    }
}

static void paging_map_image(struct builder *builder, const void *start, const void *end,
                             uint64_t flags)
{
    paging_map(builder, (uintptr_t)start, (uintptr_t)end, image_physical(start), flags);
}

static void paging_unmap_guard(struct builder *builder, const struct stack_pages *stack)
{
    uint64_t *entry = paging_entry(builder, (uintptr_t)stack->guard, 0);

    if (entry)
        *entry = 0;
    else
        builder->failed = true;
}

/*
 * Maps the image's data in small pages, as some are later unmapped (guards) and some may be
 * elsewhere (ARCH_KEPT variables).
 */
static void paging_map_data(struct builder *builder, uint64_t kept)
{
    uintptr_t first = (uintptr_t)kept_start, end = (uintptr_t)kept_end;

    for (uintptr_t page = (uintptr_t)data_start; page < (uintptr_t)image_end; page += PAGE_SIZE)
        paging_map(builder, page, page + PAGE_SIZE,
                   kept && page >= first && page < end ? kept + (page - first) : page - KERNEL_BASE,
                   PTE_WRITABLE | PTE_NX);
    paging_unmap_guard(builder, &stack_task);
    for (unsigned i = 0; i < IST_COUNT; i++)
        paging_unmap_guard(builder, &stack_ist[i]);
}

static void paging_map_memory(struct builder *builder, const struct paging_range *memory)
{
    struct paging_range image = {image_physical(_text), image_physical(image_end)};
    uint64_t below = memory->end < image.start ? memory->end : image.start;
    uint64_t above = memory->start > image.end ? memory->start : image.end;

    if (memory->start < below)
        paging_map(builder, DIRECT_BASE + memory->start, DIRECT_BASE + below, memory->start,
                   PTE_WRITABLE | PTE_NX);
    if (above < memory->end)
        paging_map(builder, DIRECT_BASE + above, DIRECT_BASE + memory->end, above,
                   PTE_WRITABLE | PTE_NX);
}

/* The reset value ("Page Attribute Table"); its fourth entry, PTE_UNCACHED, is uncacheable. */
#define PAT 0x0007040600070406ull

/*
 * Global pages, debug extensions (DR4 and DR5 are no aliases), machine checks instead of a silent
 * reset, SMEP, SMAP and UMIP. Leaves out features that would change the kernel's own instructions
 * (process-context identifiers, shadow stacks) or give programs a GS base or floating point.
 */
static uint64_t paging_cr4(void)
{
    struct cpuid features = cpu_features();
    uint64_t cr4 = CR4_PAE | CR4_PGE | CR4_DE | CR4_MCE;

    cr4 |= features.ebx & CPUID_7_EBX_SMEP ? CR4_SMEP : 0;
    cr4 |= features.ebx & CPUID_7_EBX_SMAP ? CR4_SMAP : 0;
    cr4 |= features.ecx & CPUID_7_ECX_UMIP ? CR4_UMIP : 0;
    return cr4;
}

/* Writes every bit, which discards the firmware's and the loader's settings. */
void paging_set_control(void)
{
    uint64_t cr0 = CR0_PE | CR0_EM | CR0_ET | CR0_NE | CR0_WP | CR0_PG, cr4 = paging_cr4();

    cpu_write_cr4(cr4);
    cpu_write_cr0(cr0);
    cpu_write_msr(MSR_PAT, PAT);
    arch_check(cpu_read_cr4() == cr4 && cpu_read_cr0() == cr0);
}

bool paging_init(const struct paging_range *memory, size_t count, uint64_t kept,
                 void *(*allocate)(void))
{
    struct builder builder = {.root = allocate(), .allocate = allocate};

    if (!builder.root)
        return false;
    paging_map_image(&builder, _text, _etext, 0);
    paging_map_image(&builder, rodata_start, rodata_end, PTE_NX);
    paging_map_data(&builder, kept);
    for (size_t i = 0; i < count; i++)
        paging_map_memory(&builder, &memory[i]);
    /*
     * Create the slots' tables: mapping a slot then stores only to its own entries, without a lock.
     */
    for (uintptr_t at = STACK_SLOTS_BASE; at < STACK_SLOT(STACK_SLOTS); at += LARGE_PAGE_SIZE)
        builder.failed |= !paging_entry(&builder, at, 0);
    alias_entries = paging_entry(&builder, ALIAS_BASE, 0);
    device_entries = paging_entry(&builder, DEVICE_BASE, 0);
    if (builder.failed || !alias_entries || !device_entries)
        return false;
    allocate_page = allocate;
    root_table = direct_physical(builder.root);
    paging_set_control();
    cpu_write_cr3(root_table);
    return true;
}

uint64_t paging_root(void)
{
    return root_table;
}

/*
 * Returns the level of the leaf, or of an absent entry, for which *entry is 0. NX and read-only
 * accumulate over the levels.
 */
static unsigned paging_walk(uintptr_t address, uint64_t *entry)
{
    uint64_t *table = paging_table_of(root_table);
    uint64_t nx = 0, writable = PTE_WRITABLE;

    for (unsigned level = PAGING_LEVELS - 1;; level--) {
        uint64_t found = table[paging_index(address, level)];

        nx |= found & PTE_NX;
        writable &= found;
        if (!(found & PTE_PRESENT)) {
            *entry = 0;
            return level;
        }
        if (level == 0 || found & PTE_LARGE) {
            *entry = (found & ~PTE_WRITABLE) | nx | writable;
            return level;
        }
        table = paging_table_of(found);
    }
}

bool paging_find(uintptr_t address, struct paging_leaf *leaf)
{
    uint64_t entry;
    unsigned level = paging_walk(address, &entry);
    uint64_t span = paging_span(level);

    if (!arch_canonical(address) || !entry)
        return false;
    leaf->address = address & ~(span - 1);
    leaf->physical = entry & PTE_ADDRESS & ~(span - 1);
    leaf->size = span;
    leaf->flags = entry & ~PTE_ADDRESS;
    return true;
}

uint64_t arch_page_number(const void *page)
{
    return direct_physical(page) / PAGE_SIZE;
}

bool paging_is_memory(const struct paging_leaf *leaf)
{
    return !(leaf->flags & PTE_UNCACHED);
}

/* Inlined with a constant `memory`, so that hits do not test it. */
static inline bool paging_covers(uintptr_t address, size_t length, bool memory)
{
    struct paging_leaf leaf;

    for (uintptr_t at = address; at < address + length; at = leaf.address + leaf.size)
        if (!paging_find(at, &leaf) || (memory && !paging_is_memory(&leaf)))
            return false;
    return true;
}

bool arch_mapped(uintptr_t address, size_t length)
{
    return paging_covers(address, length, false);
}

bool arch_readable(uintptr_t address, size_t length)
{
    return paging_covers(address, length, true);
}

bool arch_executable(uintptr_t address)
{
    struct paging_leaf leaf;

    return paging_find(address, &leaf) && !(leaf.flags & PTE_NX);
}

bool paging_add_page(uintptr_t address)
{
    struct builder builder = {.root = paging_table_of(root_table), .allocate = allocate_page};
    void *page = allocate_page();

    if (!page)
        return false;
    paging_map(&builder, address, address + PAGE_SIZE, direct_physical(page),
               PTE_WRITABLE | PTE_NX);
    return !builder.failed;
}

volatile void *paging_map_device(uint64_t physical)
{
    uint64_t entry =
        (physical & PTE_ADDRESS) | PTE_PRESENT | PTE_WRITABLE | PTE_GLOBAL | PTE_UNCACHED | PTE_NX;
    unsigned place = 0;

    while (place < device_count && (device_entries[place] & PTE_ADDRESS) != (entry & PTE_ADDRESS))
        place++;
    if (place == DEVICE_PAGES)
        return NULL;
    if (place == device_count)
        device_entries[device_count++] = entry;
    return (volatile void *)(DEVICE_BASE + PAGE_SIZE * place + physical % PAGE_SIZE);
}

uint8_t *paging_alias_open(uintptr_t page)
{
    for (unsigned i = 0; i < ALIAS_PAGES; i++)
        alias_entries[i] =
            (page - KERNEL_BASE + i * PAGE_SIZE) | PTE_PRESENT | PTE_WRITABLE | PTE_NX;
    local_barrier(); /* stores the entries before stores through them */
    return (uint8_t *)ALIAS_BASE;
}

void paging_alias_close(void)
{
    for (unsigned i = 0; i < ALIAS_PAGES; i++) {
        local_store(&alias_entries[i], 0);
        cpu_invalidate_page(ALIAS_BASE + i * PAGE_SIZE);
    }
}

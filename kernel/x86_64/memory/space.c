/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs' address spaces, of 4 KiB pages. They may be walked at any time, even in an NMI: an
 * entry changes by one store, and a table or page is freed once no entry leads to it.
 */
#include "arch/cpu.h"
#include "kernel/x86_64/memory/paging.h"

#include "arch/local.h"
#include "arch/unwind.h"
#include "arch/x86_64/cpu/cpu.h"

#define HALF (PAGING_ENTRIES / 2)

static void *(*space_allocate)(void); /* set at boot, like the next one */
static void (*space_give_back)(void *page);
static struct arch_space *entered[ARCH_CPUS_MAX]; /* [owning CPU] */

void space_init(void *(*allocate)(void), void (*give_back)(void *page))
{
    space_allocate = allocate;
    space_give_back = give_back;
}

/* The start is checked first, so the subtraction cannot wrap. */
static bool space_is_programs(uintptr_t address, size_t length)
{
    return address >= ARCH_USER_START && address < ARCH_USER_END &&
           length <= ARCH_USER_END - address;
}

struct arch_space *arch_space_create(void)
{
    const struct arch_space *kernel = direct_address(paging_root());
    struct arch_space *space = space_allocate();

    for (unsigned i = HALF; space && i < PAGING_ENTRIES; i++)
        space->entry[i] = kernel->entry[i];
    return space;
}

static void space_free_table(uint64_t *table, unsigned level)
{
    for (unsigned i = 0; i < PAGING_ENTRIES; i++) {
        if (!(table[i] & PTE_PRESENT))
            continue;
        if (level > 0)
            space_free_table(paging_table_of(table[i]), level - 1);
        else
            space_give_back(paging_table_of(table[i]));
    }
    space_give_back(table);
}

void arch_space_destroy(struct arch_space *space)
{
    arch_check(cpu_read_cr3() != direct_physical(space));
    for (unsigned i = 0; i < HALF; i++)
        if (space->entry[i] & PTE_PRESENT)
            space_free_table(paging_table_of(space->entry[i]), PAGING_LEVELS - 2);
    space_give_back(space);
}

/* Returns the page's entry; NULL if its table does not exist. */
static const uint64_t *space_entry(const struct arch_space *space, uintptr_t address)
{
    const uint64_t *table = space->entry;

    for (unsigned level = PAGING_LEVELS - 1; level > 0; level--) {
        uint64_t entry = local_load(&table[paging_index(address, level)]);

        if (!(entry & PTE_PRESENT))
            return NULL;
        table = paging_table_of(entry);
    }
    return &table[paging_index(address, 0)];
}

/* Like space_entry, but creates missing tables; NULL if out of memory. */
static uint64_t *space_entry_made(struct arch_space *space, uintptr_t address)
{
    uint64_t *table = space->entry;

    for (unsigned level = PAGING_LEVELS - 1; level > 0; level--) {
        uint64_t *entry = &table[paging_index(address, level)];

        if (!(*entry & PTE_PRESENT)) {
            void *page = space_allocate();

            if (!page)
                return NULL;
            local_store(entry, direct_physical(page) | PTE_PRESENT | PTE_WRITABLE | PTE_USER);
        }
        table = paging_table_of(*entry);
    }
    return &table[paging_index(address, 0)];
}

bool arch_space_map(struct arch_space *space, uintptr_t address, enum arch_page access)
{
    uint64_t flags = PTE_PRESENT | PTE_USER, *entry;
    void *page;

    arch_check(space_is_programs(address, PAGE_SIZE) && address % PAGE_SIZE == 0);
    arch_check(access != (ARCH_PAGE_WRITE | ARCH_PAGE_EXECUTE));
    entry = space_entry_made(space, address);
    if (!entry || *entry & PTE_PRESENT)
        return false;
    page = space_allocate();
    if (!page)
        return false;
    flags |= access == ARCH_PAGE_WRITE ? PTE_WRITABLE : 0;
    flags |= access == ARCH_PAGE_EXECUTE ? 0 : PTE_NX;
    local_store(entry, direct_physical(page) | flags);
    return true;
}

bool arch_space_unmap(struct arch_space *space, uintptr_t address)
{
    uint64_t *entry = (uint64_t *)space_entry(space, address), was;

    if (!space_is_programs(address, PAGE_SIZE) || !entry || !(*entry & PTE_PRESENT))
        return false;
    was = *entry;
    local_store(entry, 0);
    cpu_invalidate_page(address);
    space_give_back(paging_table_of(was));
    return true;
}

void arch_space_enter(const struct arch_space *space, const struct arch_stack *stack)
{
    uint64_t root = space ? direct_physical(space) : paging_root();

    percpu_self()->kernel_stack = stack->high;
    entered[arch_cpu_id()] = (struct arch_space *)space;
    if (cpu_read_cr3() != root)
        cpu_write_cr3(root);
}

struct arch_space *space_of_cpu(unsigned cpu)
{
    return entered[cpu];
}

/* The kernel's address of the byte if the page's entry has these flags; otherwise NULL. */
static void *space_reach(const struct arch_space *space, uintptr_t address, uint64_t flags)
{
    const uint64_t *entry = space_is_programs(address, 1) ? space_entry(space, address) : NULL;
    uint64_t found = entry ? local_load(entry) : 0;

    if ((found & flags) != flags)
        return NULL;
    return (char *)paging_table_of(found) + address % PAGE_SIZE;
}

void *arch_user_reach(const struct arch_space *space, uintptr_t address, enum arch_page access,
                      size_t *length)
{
    uint64_t write = access == ARCH_PAGE_WRITE ? PTE_WRITABLE : 0;
    size_t rest = PAGE_SIZE - address % PAGE_SIZE;

    if (*length > rest)
        *length = rest;
    return space_reach(space, address, PTE_PRESENT | PTE_USER | write);
}

/*
 * Both sides may be unaligned. Inlined with a constant `access`, which spares call chains a test.
 */
static inline bool space_copy(const struct arch_space *space, uintptr_t address, char *bytes,
                              size_t length, enum arch_page access)
{
    while (length > 0) {
        size_t part = length, left;
        void *there = arch_user_reach(space, address, access, &part), *to, *from;

        if (!there)
            return false;
        to = access == ARCH_PAGE_WRITE ? there : bytes;
        from = access == ARCH_PAGE_WRITE ? bytes : there;
        left = part;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(left) : : "memory");
        address += part;
        bytes += part;
        length -= part;
    }
    return true;
}

bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length)
{
    return space_copy(space, address, to, length, ARCH_PAGE_READ);
}

bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length)
{
    return space_copy(space, address, (char *)from, length, ARCH_PAGE_WRITE);
}

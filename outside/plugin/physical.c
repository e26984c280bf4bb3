/* SPDX-License-Identifier: BSD-2-Clause */
/* See physical.h. */
#include "outside/plugin/physical.h"

#include <stdlib.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/store.h"

#define RECENT    1024u /* virtual pages per CPU that are found without a search, a power of 2 */
#define HASH_BITS 16

struct recent {
    uint64_t virtual;
    uint64_t generation;
    struct mapping *mapping;
};

static struct cpu {
    _Alignas(64) uint64_t generation; /* less one; of its mappings */
    struct recent recent[RECENT];     /* [page % RECENT] */
} cpus[FOLLOW_CPUS];

static struct mapping *chains[1u << HASH_BITS]; /* by the virtual page's hash */
static uint64_t seen;

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PHYSICAL_PAGE - 1);
}

static struct mapping **chain_of(uint64_t virtual)
{
    return &chains[(virtual / PHYSICAL_PAGE * 0x9e3779b97f4a7c15u) >> (64 - HASH_BITS)];
}

static struct recent *recent_of(unsigned cpu, uint64_t virtual)
{
    return &cpus[cpu].recent[virtual / PHYSICAL_PAGE % RECENT];
}

static struct mapping *find(uint64_t virtual, uint64_t physical)
{
    struct mapping **chain = chain_of(virtual), *mapping = *chain;

    while (mapping && (mapping->virtual != virtual || mapping->physical != physical))
        mapping = mapping->next;
    if (!mapping && (mapping = calloc(1, sizeof(*mapping)))) {
        mapping->virtual = virtual;
        mapping->physical = physical;
        mapping->next = *chain;
        *chain = mapping;
    }
    return mapping;
}

__attribute__((noinline)) static struct mapping *ask(unsigned cpu, uint32_t info, uint64_t address)
{
    struct mapping *mapping;
    uint64_t physical;

    if (!store_place(info, address, &physical))
        return NULL;
    mapping = find(page_of(address), page_of(physical));
    if (!mapping)
        return NULL;
    mapping->seen = ++seen;
    *recent_of(cpu, mapping->virtual) =
        (struct recent){mapping->virtual, cpus[cpu].generation + 1, mapping};
    return mapping;
}

static struct mapping *find_recent(unsigned cpu, uint64_t virtual)
{
    const struct recent *recent = recent_of(cpu, virtual);

    return recent->virtual == virtual && recent->generation == cpus[cpu].generation + 1
               ? recent->mapping
               : NULL;
}

struct mapping *physical_find(unsigned cpu, uint32_t info, uint64_t address)
{
    struct mapping *mapping = find_recent(cpu, page_of(address));

    return __builtin_expect(mapping != NULL, 1) ? mapping : ask(cpu, info, address);
}

struct mapping *physical_known(unsigned cpu, uint64_t address, bool likely)
{
    uint64_t virtual = page_of(address);
    struct mapping *latest = find_recent(cpu, virtual);

    if (latest || !likely)
        return latest;
    for (struct mapping *other = *chain_of(virtual); other; other = other->next)
        if (other->virtual == virtual && (!latest || other->seen > latest->seen))
            latest = other;
    return latest;
}

void physical_flush(unsigned cpu)
{
    cpus[cpu].generation++;
}

void physical_each(void (*take)(struct mapping *mapping))
{
    for (unsigned i = 0; i < 1u << HASH_BITS; i++)
        for (struct mapping *mapping = chains[i]; mapping; mapping = mapping->next)
            take(mapping);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h. */
#include "outside/plugin/blame.h"

#include <stdlib.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

#define RECENT    1024u /* virtual pages per CPU that are found without a search, a power of 2 */
#define HASH_BITS 16

void blame_begin(const struct request *request)
{
    if (request->blame.memory)
        shadow_begin(request->blame.memory);
    else
        writers_begin(request->blame.writers, request->blame.places, request->blame.place_count);
}

void blame_slide(uint64_t by)
{
    if (!shadow_watch())
        writers_slide(by);
}

bool blame_watch(void)
{
    return writers_watch() || shadow_watch();
}

/*
 * --- Which memory a store is to ---
 *
 * QEMU tells a store's physical address when asked, which is slow, so the answer is kept per CPU
 * and virtual page until that CPU may have another mapping: code must load a control register, or
 * execute invlpg or invpcid, after it changes one.
 */

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

/*
 * Returns the mapping that a store to `address` uses; NULL: the store is to a device, or there is
 * no memory for a new one. May be called only in the store's callback.
 */
static struct mapping *mapping_of(unsigned cpu, uint32_t info, uint64_t address)
{
    struct mapping *mapping = find_recent(cpu, page_of(address));

    return __builtin_expect(mapping != NULL, 1) ? mapping : ask(cpu, info, address);
}

/*
 * Returns the mapping that a store by the CPU to `address` would use, as far as is known without
 * asking QEMU. `likely`: or the one that was seen there last. NULL: not known.
 */
static struct mapping *known_mapping(unsigned cpu, uint64_t address, bool likely)
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

void physical_each(void (*take)(struct mapping *mapping))
{
    for (unsigned i = 0; i < 1u << HASH_BITS; i++)
        for (struct mapping *mapping = chains[i]; mapping; mapping = mapping->next)
            take(mapping);
}

/* --- Stores --- */

/* Frames whose place in memory is not known yet: at most two parts, of two pages. */
static struct frames {
    _Alignas(64) unsigned count;
    struct store parts[2];
} frames[FOLLOW_CPUS];

/* `mapping`: of the page of the bytes from `first` to `last`. */
static void on_bytes(unsigned cpu, const struct store *store, struct mapping *mapping,
                     uint64_t first, uint64_t last)
{
    if (shadow_watch())
        shadow_on_store(cpu, store, mapping, first, last);
    else
        writers_on_store(cpu, store, mapping, first, last);
}

/* Takes the frames whose place is known; with `likely`, all whose place is likely. */
__attribute__((noinline)) static void place_frames(unsigned cpu, bool likely)
{
    struct frames *waiting = &frames[cpu];
    unsigned count = waiting->count;

    waiting->count = 0;
    for (unsigned i = 0; i < count; i++) {
        struct store *part = &waiting->parts[i];
        struct mapping *mapping = known_mapping(cpu, part->address, likely);

        if (mapping)
            on_bytes(cpu, part, mapping, part->address, part->address + part->length - 1);
        else if (!likely)
            waiting->parts[waiting->count++] = *part;
    }
}

static void on_page(unsigned cpu, const struct store *store, uint64_t first, uint64_t last)
{
    struct mapping *mapping = mapping_of(cpu, store->info, first);

    if (__builtin_expect(frames[cpu].count > 0, 0))
        place_frames(cpu, false);
    if (mapping)
        on_bytes(cpu, store, mapping, first, last);
}

/* Returns the last byte of the page. */
static uint64_t page_end(uint64_t address)
{
    return address | (PHYSICAL_PAGE - 1);
}

__attribute__((noinline)) static void on_two_pages(unsigned cpu, const struct store *store,
                                                   uint64_t first, uint64_t last)
{
    on_page(cpu, store, first, page_end(first));
    on_page(cpu, store, page_end(first) + 1, last);
}

void blame_on_store(unsigned cpu, const struct store *store)
{
    uint64_t first = store->address, last = first + store->length - 1;

    if (__builtin_expect(last > page_end(first), 0))
        on_two_pages(cpu, store, first, last);
    else
        on_page(cpu, store, first, last);
}

void blame_on_frame(unsigned cpu, const struct store *store)
{
    uint64_t first = store->address, last = first + store->length - 1;
    struct frames *waiting = &frames[cpu];

    if (waiting->count > 0)
        place_frames(cpu, true);
    waiting->parts[waiting->count++] = *store;
    if (last > page_end(first)) {
        waiting->parts[0].length = (unsigned)(page_end(first) - first + 1);
        waiting->parts[1] = *store;
        waiting->parts[1].address = page_end(first) + 1;
        waiting->parts[1].length = (unsigned)(last - page_end(first));
        waiting->count++;
    }
    place_frames(cpu, false);
}

void blame_flush(unsigned cpu)
{
    if (frames[cpu].count > 0)
        place_frames(cpu, true);
    cpus[cpu].generation++;
}

static void tell_page(struct mapping *mapping)
{
    tell_mapping(mapping->virtual, mapping->physical, mapping->seen);
}

static void tell_frames(void)
{
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        if (frames[cpu].count > 0)
            place_frames(cpu, true);
}

void blame_tell(uint64_t end)
{
    if (!blame_watch())
        return;
    tell_frames();
    physical_each(tell_page);
    if (shadow_watch())
        shadow_tell();
    else
        writers_tell(end);
}

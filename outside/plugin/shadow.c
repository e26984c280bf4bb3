/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h: the last writer of all memory. */
#include "outside/plugin/blame.h"

#include <assert.h>
#include <stdlib.h>

#include "outside/plugin/shadow_page.h"
#include "outside/plugin/tell.h"
#include "outside/request.h"

#define CHAINS 65536u

static struct page *chains[CHAINS]; /* by the physical address' hash */
static uint64_t page_count, lost;
static bool watched;

void shadow_begin(uint64_t bytes)
{
    assert(bytes >= MEMORY_LEAST);
    page_begin(bytes);
    watched = true;
}

bool shadow_watch(void)
{
    return watched;
}

/* Returns the mapping's page, a new one if necessary; NULL: no room. */
__attribute__((noinline)) static struct page *find_page(struct mapping *mapping)
{
    uint64_t hash = mapping->physical / PHYSICAL_PAGE * 0x9e3779b97f4a7c15u;
    struct page **chain = &chains[hash >> 48], *page = *chain;

    while (page && page->physical != mapping->physical)
        page = page->next;
    if (!page && (page = page_new())) {
        page_count++;
        page->physical = mapping->physical;
        page->next = *chain;
        *chain = page;
    }
    if (page) {
        mapping->memory = page;
        mapping->number = page->mapping_count++;
        mapping->beside = page->mappings;
        page->mappings = mapping;
    }
    return page;
}

static unsigned vector_of(const struct store *store)
{
    if (!store->interrupt)
        return 0;
    return store->interrupt > VECTOR_UNKNOWN ? VECTOR_UNKNOWN : store->interrupt - 1;
}

/* A writer of a whole granule. */
static struct writer writer_of(unsigned cpu, const struct store *store,
                               const struct mapping *mapping)
{
    uint64_t number = mapping->number < OTHER_MAPPING ? mapping->number : OTHER_MAPPING;

    return (struct writer){.ip = store->ip,
                           .where = store->time << TIME_FROM | number << MAPPING_FROM |
                                    (uint64_t)(store->interrupt > 0) << INTERRUPTED_FROM | GRANULE,
                           .who = store->context | store->thread << THREAD_FROM |
                                  (uint64_t)cpu << CPU_FROM |
                                  (uint64_t)vector_of(store) << VECTOR_FROM};
}

void shadow_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                     uint64_t first, uint64_t last)
{
    struct page *page = mapping->memory;

    if (__builtin_expect(!page, 0) && !(page = find_page(mapping))) {
        lost++;
        return;
    }
    if (!page_write(page, writer_of(cpu, store, mapping), first % PHYSICAL_PAGE,
                    last % PHYSICAL_PAGE + 1))
        lost++;
}

/* --- The end. --- */

static int compare_pages(const void *left, const void *right)
{
    const struct page *a = *(struct page *const *)left, *b = *(struct page *const *)right;

    return a->physical < b->physical ? -1 : a->physical > b->physical;
}

static struct page **sorted_pages(void)
{
    struct page **pages = calloc(page_count + 1, sizeof(struct page *));
    uint64_t used = 0;

    for (unsigned i = 0; pages && i < CHAINS; i++)
        for (struct page *page = chains[i]; page; page = page->next)
            pages[used++] = page;
    if (pages)
        qsort(pages, page_count, sizeof(struct page *), compare_pages);
    return pages;
}

/* The address of a byte of the page as the writer knew it; UINT64_MAX: it is not known. */
static uint64_t virtual_of(const struct page *page, const struct writer *writer, unsigned byte)
{
    uint64_t number = writer_bits(writer->where, MAPPING_FROM, MAPPING_BITS);
    const struct mapping *mapping = page->mappings;

    if (number == OTHER_MAPPING)
        return UINT64_MAX;
    while (mapping->number != number)
        mapping = mapping->beside;
    return mapping->virtual + byte;
}

static unsigned cpu_of(const struct writer *writer)
{
    return (unsigned)writer_bits(writer->who, CPU_FROM, CPU_BITS);
}

static struct wire_word word_of(const struct page *page, const struct writer *writer,
                                unsigned first, unsigned end)
{
    unsigned vector = (unsigned)(writer->who >> VECTOR_FROM);
    struct wire_word word = {.thread = (uint32_t)writer_bits(writer->who, THREAD_FROM, THREAD_BITS),
                             .context = (uint32_t)writer_bits(writer->who, 0, CONTEXT_BITS),
                             .length = end - first,
                             .address = virtual_of(page, writer, first),
                             .physical = page->physical + first,
                             .ip = writer->ip,
                             .time = writer_time(writer),
                             .count = 1};

    if (writer_bits(writer->where, INTERRUPTED_FROM, 1))
        word.interrupt = vector == VECTOR_UNKNOWN ? STORE_INTERRUPT_MOST : vector + 1;
    return word;
}

/* A write that is not yet told, as more bytes may follow. */
static struct wire_word pending;
static struct writer pending_writer;

static void tell_pending(void)
{
    if (pending.length)
        tell_word(&pending, cpu_of(&pending_writer));
    pending.length = 0;
}

static void tell_granule(const struct page *page, const struct writer *writer, unsigned at)
{
    unsigned first = at * GRANULE + writer_offset(writer);

    if (pending.length && pending.physical + pending.length == page->physical + first &&
        writer_is_same(&pending_writer, writer) &&
        writer_time(&pending_writer) == writer_time(writer)) {
        pending.length += writer_length(writer);
        return;
    }
    tell_pending();
    pending_writer = *writer;
    pending = word_of(page, writer, first, first + writer_length(writer));
}

static void tell_run(const struct page *page, const struct page_run *run)
{
    struct wire_word word = word_of(page, &run->writer, run->first, run->end);

    word.unit = run->length;
    word.step = run->step;
    tell_word(&word, cpu_of(&run->writer));
}

static int compare_runs(const void *left, const void *right)
{
    const struct page_run *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

static void tell_page(struct page *page)
{
    if (page_is_runs(page)) {
        qsort(page->runs, page->run_count, sizeof(*page->runs), compare_runs);
        for (unsigned i = 0; i < page->run_count; i++)
            tell_run(page, &page->runs[i]);
        return;
    }
    for (unsigned at = 0; at < GRANULES; at++)
        if (writer_length(&page->writers[at]))
            tell_granule(page, &page->writers[at], at);
    tell_pending();
}

void shadow_tell(void)
{
    struct page **pages = sorted_pages();

    for (uint64_t i = 0; pages && i < page_count; i++)
        tell_page(pages[i]);
    tell_number(WIRE_LOST, 0, pages ? lost : lost + 1);
    free(pages);
}

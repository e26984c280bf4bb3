/* SPDX-License-Identifier: BSD-2-Clause */
/* See shadow.h. */
#include "outside/plugin/shadow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

#define GRANULE    4u
#define PAGE       4096u
#define RECENT     4096u /* pages found without a search, a power of 2 */
#define CHAINS     65536u
#define BYTES_FROM 4 /* `bytes`: below this bit their number, above it the first one's offset */

struct writer {
    uint64_t ip, time;
    uint32_t context;
    uint16_t thread; /* below STACKS_MOST */
    uint8_t cpu;     /* below FOLLOW_CPUS */
    uint8_t bytes;   /* 0: never written */
};

struct page {
    uint64_t number; /* address / PAGE */
    struct page *next;
    struct writer writers[PAGE / GRANULE];
};

static struct page *recent[RECENT]; /* [number % RECENT] */
static struct page *chains[CHAINS]; /* by the number's hash */
static uint64_t page_count, pages_most, lost;

const char *shadow_begin(const char *argument)
{
    uint64_t bytes;

    if (sscanf(argument, "%" SCNu64, &bytes) != 1 || bytes < sizeof(struct page))
        return "shadow=BYTES, 32768 at least";
    pages_most = bytes / sizeof(struct page);
    return NULL;
}

bool shadow_watch(void)
{
    return pages_most > 0;
}

/* Returns the page, a new one if necessary; NULL: no room. */
static struct page *find_page(uint64_t number)
{
    struct page **chain = &chains[(number * 0x9e3779b97f4a7c15u) >> 48];
    struct page *page = *chain;

    while (page && page->number != number)
        page = page->next;
    if (!page && page_count < pages_most && (page = calloc(1, sizeof(*page)))) {
        page_count++;
        page->number = number;
        page->next = *chain;
        *chain = page;
    }
    if (page)
        recent[number % RECENT] = page;
    return page;
}

/* Sets the writer of the bytes from `address` to `last`, which lie in one page. */
static void write_page(const struct writer *writer, uint64_t address, uint64_t last)
{
    struct page *page = recent[address / PAGE % RECENT];
    uint64_t first = address;

    if (__builtin_expect(!page || page->number != address / PAGE, 0)) {
        page = find_page(address / PAGE);
        if (!page) {
            lost++;
            return;
        }
    }
    for (;;) {
        uint64_t end = first | (GRANULE - 1);
        struct writer *to = &page->writers[first % PAGE / GRANULE];

        if (end > last)
            end = last;
        *to = *writer;
        to->bytes = (uint8_t)(first % GRANULE << BYTES_FROM | (end - first + 1));
        if (end == last) /* `last` may be the highest address */
            return;
        first = end + 1;
    }
}

void shadow_on_store(unsigned cpu, const struct store *store)
{
    uint64_t address = store->address, last = address + store->length - 1;
    uint64_t page_last = address | (PAGE - 1);
    struct writer writer = {.ip = store->ip,
                            .time = store->time,
                            .context = follow_context(cpu),
                            .thread = (uint16_t)follow_thread(cpu),
                            .cpu = (uint8_t)cpu};

    if (__builtin_expect(last > page_last, 0)) {
        write_page(&writer, address, page_last);
        address = page_last + 1;
    }
    write_page(&writer, address, last);
}

/* --- The end. --- */

static int compare_pages(const void *left, const void *right)
{
    const struct page *a = *(struct page *const *)left, *b = *(struct page *const *)right;

    return a->number < b->number ? -1 : a->number > b->number;
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

/*
 * Extends the pending write by a granule. If the granule belongs to another write, reports the
 * pending write, and begins the other one.
 */
static void tell_granule(struct wire_word *write, unsigned *cpu, uint64_t address,
                         const struct writer *writer)
{
    unsigned length = writer->bytes & ((1u << BYTES_FROM) - 1);

    address += writer->bytes >> BYTES_FROM;
    if (write->length && write->address + write->length == address && write->ip == writer->ip &&
        write->time == writer->time && write->context == writer->context &&
        write->thread == writer->thread && *cpu == writer->cpu) {
        write->length += length;
        return;
    }
    if (write->length)
        tell_word(write, *cpu);
    *cpu = writer->cpu;
    *write = (struct wire_word){.thread = writer->thread,
                                .context = writer->context,
                                .length = length,
                                .address = address,
                                .ip = writer->ip,
                                .time = writer->time,
                                .count = 1};
}

void shadow_tell(void)
{
    struct page **pages = sorted_pages();
    struct wire_word write = {.length = 0};
    unsigned cpu = 0;

    for (uint64_t i = 0; pages && i < page_count; i++)
        for (unsigned at = 0; at < PAGE / GRANULE; at++)
            if (pages[i]->writers[at].bytes)
                tell_granule(&write, &cpu, pages[i]->number * PAGE + at * GRANULE,
                             &pages[i]->writers[at]);
    if (write.length)
        tell_word(&write, cpu);
    tell_number(WIRE_LOST, 0, pages ? lost : lost + 1);
    free(pages);
}

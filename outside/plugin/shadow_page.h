/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A physical page of shadow.c: the last write of each of its granules, of 4 bytes. If it was only
 * filled, by a few loops that each wrote one behind the other, it is kept as a few runs. When one
 * loop has filled all of another page, that can do without its entries, and does when there is no
 * room.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"

#define GRANULE   4u
#define GRANULES  (PHYSICAL_PAGE / GRANULE)
#define PAGE_RUNS 4u

/*
 * The last write of a granule, in words that are copied and compared whole.
 */
struct writer {
    uint64_t ip;
    uint64_t where; /* time, mapping, if by the CPU itself, offset, length; 0: never written */
    uint64_t who;   /* context, thread, CPU, vector */
};

enum {
    LENGTH_BITS = 3, /* of the bytes written */
    OFFSET_FROM = LENGTH_BITS,
    OFFSET_BITS = 2, /* of the first of them in the granule */
    INTERRUPTED_FROM = OFFSET_FROM + OFFSET_BITS,
    MAPPING_FROM = INTERRUPTED_FROM + 1,
    MAPPING_BITS = 8,
    TIME_FROM = 16,

    CONTEXT_BITS = 22,
    THREAD_FROM = CONTEXT_BITS,
    THREAD_BITS = 26,
    CPU_FROM = THREAD_FROM + THREAD_BITS,
    CPU_BITS = 8,
    VECTOR_FROM = CPU_FROM + CPU_BITS,
};

_Static_assert(CONTEXT_MOST <= 1u << CONTEXT_BITS && FOLLOW_CPUS <= 1u << CPU_BITS, "they fit");
_Static_assert(MAPPING_FROM + MAPPING_BITS <= TIME_FROM, "they fit");

#define OTHER_MAPPING  255u /* its number is not known */
#define VECTOR_UNKNOWN 255u /* the last vector, which has no use of its own */

static inline uint64_t writer_bits(uint64_t word, unsigned from, unsigned count)
{
    return word >> from & ((UINT64_C(1) << count) - 1);
}

static inline unsigned writer_length(const struct writer *writer)
{
    return (unsigned)writer_bits(writer->where, 0, LENGTH_BITS);
}

static inline unsigned writer_offset(const struct writer *writer)
{
    return (unsigned)writer_bits(writer->where, OFFSET_FROM, OFFSET_BITS);
}

static inline uint64_t writer_time(const struct writer *writer)
{
    return writer->where >> TIME_FROM;
}

/* True if the same code wrote, through the same mapping. */
static inline bool writer_is_same(const struct writer *a, const struct writer *b)
{
    return a->ip == b->ip && a->who == b->who &&
           writer_bits(a->where ^ b->where, INTERRUPTED_FROM, TIME_FROM - INTERRUPTED_FROM) == 0;
}

/* Writes of `length` bytes, one behind the other, a number of instructions apart. */
struct page_run {
    struct writer writer; /* with the time of the last one */
    uint32_t step;        /* instructions from one to the next */
    uint16_t first, end;  /* bytes of the page */
    uint8_t length;
    bool stepped; /* `step` is known: there are two */
};

struct page {
    uint64_t physical;
    struct page *next, *next_filled;
    struct mapping *mappings; /* the last one first */
    unsigned mapping_count, run_count;
    bool listed;                     /* `next_filled` is in use */
    struct writer *writers;          /* [GRANULES]; NULL: the runs have all */
    struct page_run runs[PAGE_RUNS]; /* the last grows; with `writers`, one from the beginning on */
};

/* True if the runs have all, with or without an entry for each granule. */
static inline bool page_is_runs(const struct page *page)
{
    return !page->writers || (page->run_count > 0 && page->runs->end == PHYSICAL_PAGE);
}

/* The bytes of memory that all pages may use. */
void page_begin(uint64_t bytes);

/* Returns an empty page, which is found through a mapping; NULL: no room. */
struct page *page_new(void);

/*
 * Records a writer, whose `where` is of a whole granule, of the page from `first` to `end`, and not
 * `end`. False: no room; then what these bytes overwrote is forgotten.
 */
bool page_write_any(struct page *page, const struct writer *writer, unsigned first, unsigned end);

/* A page with an entry for each granule may be filled by one loop, from its beginning on. */
void page_write_candidate(struct page *page, const struct writer *writer, unsigned first,
                          unsigned end);

/* Like page_write_any, for most writes: of whole granules, in a page that has an entry for each. */
static inline bool page_write(struct page *page, struct writer writer, unsigned first, unsigned end)
{
    struct writer copy; /* `writer` stays in registers */

    if (__builtin_expect(!page->writers || (first | end) % GRANULE != 0, 0)) {
        copy = writer;
        return page_write_any(page, &copy, first, end);
    }
    for (unsigned i = first / GRANULE; i < end / GRANULE; i++)
        page->writers[i] = writer;
    if (__builtin_expect(page->run_count > 0 || first == 0, 0)) {
        copy = writer;
        page_write_candidate(page, &copy, first, end);
    }
    return true;
}

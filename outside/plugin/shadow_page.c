/* SPDX-License-Identifier: BSD-2-Clause */
/* See shadow_page.h. */
#include "outside/plugin/shadow_page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t room;
static struct page *filled; /* pages that one loop has filled, or had */

void page_begin(uint64_t bytes)
{
    room = bytes;
}

/* Frees the entries of a page that does without; false: there is none. */
static bool free_filled(void)
{
    struct page *page;

    while ((page = filled)) {
        filled = page->next_filled;
        page->listed = false;
        if (page->writers && page_is_runs(page)) {
            free(page->writers);
            page->writers = NULL;
            room += GRANULES * sizeof(*page->writers);
            return true;
        }
    }
    return false;
}

/* Returns zeroed memory, or NULL; `beside`: bytes of other memory that it goes with. */
static void *take_room(size_t size, size_t beside)
{
    void *memory;

    while (room < size + beside)
        if (!free_filled())
            return NULL;
    memory = calloc(1, size);
    if (memory)
        room -= size + beside;
    return memory;
}

struct page *page_new(void)
{
    return take_room(sizeof(struct page), sizeof(struct mapping));
}

static void set_bytes(struct writer *writer, unsigned offset, unsigned length)
{
    writer->where = writer->where >> INTERRUPTED_FROM << INTERRUPTED_FROM |
                    (uint64_t)offset << OFFSET_FROM | length;
}

/* --- An entry for each granule. --- */

/* The writer writes a part of a granule. */
static void write_part(struct writer *to, const struct writer *writer, unsigned offset,
                       unsigned length)
{
    unsigned end = offset + length, to_end = writer_offset(to) + writer_length(to);

    if (writer_length(to) > 0 && writer_is_same(to, writer) && offset <= to_end &&
        writer_offset(to) <= end) {
        offset = writer_offset(to) < offset ? writer_offset(to) : offset;
        end = to_end > end ? to_end : end;
    }
    *to = *writer;
    set_bytes(to, offset, end - offset);
}

/* The writer writes the bytes of the page from `first` to `end`, and not `end`. */
static void write_granules(struct writer *writers, const struct writer *writer, unsigned first,
                           unsigned end)
{
    while (first < end) {
        unsigned stop = (first | (GRANULE - 1)) + 1;

        if (stop > end || first % GRANULE)
            write_part(&writers[first / GRANULE], writer, first % GRANULE,
                       (stop < end ? stop : end) - first);
        else
            writers[first / GRANULE] = *writer;
        first = stop;
    }
}

/* --- Runs. --- */

static unsigned granule_begin(unsigned byte)
{
    return byte & ~(GRANULE - 1);
}

static unsigned granule_end(unsigned byte)
{
    return granule_begin(byte + GRANULE - 1);
}

/* True if the write from `first` to `end` is the run's next one, which it then has. */
static bool extend(struct page_run *run, const struct writer *writer, unsigned first, unsigned end)
{
    uint64_t step = writer_time(writer) - writer_time(&run->writer);

    if (run->end != first || run->length != end - first || !writer_is_same(&run->writer, writer) ||
        step > UINT32_MAX || (run->stepped && run->step != step))
        return false;
    run->stepped = true;
    run->step = (uint32_t)step;
    run->end = (uint16_t)end;
    run->writer.where = writer->where;
    return true;
}

static struct page_run begun(const struct writer *writer, unsigned first, unsigned end)
{
    return (struct page_run){.writer = *writer,
                             .first = (uint16_t)first,
                             .end = (uint16_t)end,
                             .length = (uint8_t)(end - first)};
}

static void remove_run(struct page *page, unsigned number)
{
    assert(number < page->run_count);
    page->run_count--;
    memmove(&page->runs[number], &page->runs[number + 1],
            (page->run_count - number) * sizeof(*page->runs));
}

/*
 * Makes way for a write from `first` to `end`, in the first `count` runs, whose granules it may
 * touch at the beginning. Returns false if it touches others. `drop`: such a run is forgotten.
 */
static bool make_way(struct page *page, unsigned count, unsigned first, unsigned end, bool drop)
{
    for (unsigned i = count; i-- > 0;) {
        struct page_run *run = &page->runs[i];

        if (granule_end(end) <= granule_begin(run->first) ||
            granule_begin(first) >= granule_end(run->end))
            continue;
        if (!drop && granule_begin(first) > granule_begin(run->first))
            return false;
        if (drop || granule_end(end) >= run->end)
            remove_run(page, i);
        else
            run->first = (uint16_t)granule_end(end);
    }
    return true;
}

/* Gives the page an entry for each granule. False: no room. */
static bool expand(struct page *page)
{
    assert(!page->writers && page->run_count <= PAGE_RUNS);
    page->writers = take_room(GRANULES * sizeof(*page->writers), 0);
    for (unsigned i = 0; page->writers && i < page->run_count; i++) {
        const struct page_run *run = &page->runs[i];

        for (unsigned first = run->first, end; first < run->end; first = end) {
            unsigned later = (run->end - 1u - first) / run->length; /* writes */
            struct writer writer = run->writer;

            writer.where -= ((uint64_t)run->step * later) << TIME_FROM;
            end = run->end - later * run->length;
            write_granules(page->writers, &writer, first, end);
        }
    }
    if (page->writers)
        page->run_count = 0;
    return page->writers;
}

/* False: no room. */
__attribute__((noinline)) static bool write_run(struct page *page, const struct writer *writer,
                                                unsigned first, unsigned end)
{
    if (page->run_count > 0 && extend(&page->runs[page->run_count - 1], writer, first, end)) {
        make_way(page, page->run_count - 1, first, end, false);
        return true;
    }
    if (make_way(page, page->run_count, first, end, false) && page->run_count < PAGE_RUNS) {
        page->runs[page->run_count++] = begun(writer, first, end);
    } else if (expand(page)) {
        write_granules(page->writers, writer, first, end);
    } else {
        make_way(page, page->run_count, first, end, true);
        return false;
    }
    return true;
}

/* In a page with entries, `runs` has at most the run that may fill it. */
__attribute__((noinline)) void page_write_candidate(struct page *page, const struct writer *writer,
                                                    unsigned first, unsigned end)
{
    if (page->run_count > 0 && !extend(page->runs, writer, first, end))
        page->run_count = 0;
    if (page->run_count == 0 && first == 0) {
        page->runs[0] = begun(writer, first, end);
        page->run_count = 1;
    }
    if (page_is_runs(page) && !page->listed) {
        page->listed = true;
        page->next_filled = filled;
        filled = page;
    }
}

__attribute__((noinline)) bool page_write_any(struct page *page, const struct writer *writer,
                                              unsigned first, unsigned end)
{
    if (__builtin_expect(!page->writers, 0))
        return write_run(page, writer, first, end);
    if (first / GRANULE == (end - 1) / GRANULE && end - first < GRANULE)
        write_part(&page->writers[first / GRANULE], writer, first % GRANULE, end - first);
    else
        write_granules(page->writers, writer, first, end);
    if (__builtin_expect(page->run_count > 0 || first == 0, 0))
        page_write_candidate(page, writer, first, end);
    return true;
}

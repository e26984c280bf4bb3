/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h. */
#include "outside/plugin/blame.h"

#include "outside/plugin/follow.h"
#include "outside/plugin/physical.h"
#include "outside/plugin/shadow.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/writers.h"

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
        struct mapping *mapping = physical_known(cpu, part->address, likely);

        if (mapping)
            on_bytes(cpu, part, mapping, part->address, part->address + part->length - 1);
        else if (!likely)
            waiting->parts[waiting->count++] = *part;
    }
}

static void on_page(unsigned cpu, const struct store *store, uint64_t first, uint64_t last)
{
    struct mapping *mapping = physical_find(cpu, store->info, first);

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
    physical_flush(cpu);
}

void blame_stopped(unsigned cpu, uint64_t time)
{
    writers_read(cpu, time);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#include "outside/plugin/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/events.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

#define REPORTS_MOST    4096u /* a power of two */
#define NO_OBJECTS_MOST 16u   /* reports of frees of no object */

static struct wire_heap *reports; /* a hash table with open addressing; count 0: free */
static uint32_t report_count;
static struct wire_objects totals;

/*
 * What each context has allocated. When the total falls from a new peak, a context's part in it is
 * kept at its next change: `rise` says of which peak `peak` is.
 */
static struct made {
    uint64_t objects, bytes, peak;
    uint32_t rise;
} * made; /* [context] */
static uint64_t live_bytes;
static uint32_t rise;

bool heap_report_begin(void)
{
    reports = calloc(REPORTS_MOST, sizeof(*reports));
    made = calloc(CONTEXT_MOST, sizeof(*made)); /* pages take memory only once used */
    return reports && made;
}

/* --- Reports --- */

static uint64_t site_of(struct wire_touch touch)
{
    return context_at(touch.context)->site;
}

static bool is_same(const struct wire_heap *a, const struct wire_heap *b)
{
    return a->kind == b->kind && a->ip == b->ip && a->access == b->access &&
           (b->access || context_at(a->context)->site == context_at(b->context)->site) &&
           site_of(a->allocated) == site_of(b->allocated) && site_of(a->freed) == site_of(b->freed);
}

static struct wire_touch wire_of(struct touch touch)
{
    return (struct wire_touch){.context = touch.context, .cpu = touch.cpu, .time = touch.time};
}

static void describe_object(struct wire_heap *report, const struct object *object)
{
    if (!object)
        return;
    report->object = object->start;
    report->size = object->size;
    report->allocated = wire_of(object->allocated);
    if (!object->live)
        report->freed = wire_of(object->freed);
}

static bool report_it(unsigned cpu, struct wire_heap *report)
{
    uint32_t hash = (uint32_t)((report->ip * 0x9e3779b97f4a7c15u) >> 40);

    report->thread = follow_thread(cpu);
    report->time = clock_time(cpu);
    report->count = 1;
    if (!window_open())
        return false;
    for (uint32_t i = 0; i < REPORTS_MOST; i++) {
        struct wire_heap *known = &reports[(hash + i) % REPORTS_MOST];

        if (known->count > 0 && is_same(known, report)) {
            known->count++;
            return false;
        }
        if (known->count > 0)
            continue;
        if (!window_takes_sample())
            return false;
        report->report = report_count++;
        tell_heap(report, cpu);
        *known = *report;
        return true;
    }
    totals.more++;
    return false;
}

void heap_report_crowd(void)
{
    totals.crowd += window_open();
}

bool heap_report_access(unsigned cpu, const struct heap_access *access)
{
    struct wire_heap report = {.kind = access->kind,
                               .ip = access->ip,
                               .address = access->address,
                               .length = access->length,
                               .access = access->access,
                               .context = follow_context(cpu)};

    describe_object(&report, access->object);
    return report_it(cpu, &report);
}

/* An allocator that is not known has many frees of no object, of which a few tell all. */
void heap_report_free(unsigned cpu, const struct heap_free *free)
{
    static unsigned told;
    struct wire_heap report = {
        .kind = free->kind, .ip = free->entry, .address = free->address, .context = free->context};

    if (!free->object && (totals.lost > 0 || told == NO_OBJECTS_MOST)) {
        heap_report_crowd();
        return;
    }
    describe_object(&report, free->object);
    told += report_it(cpu, &report) && !free->object;
}

/* --- What the heap is made of --- */

static struct made *made_by(const struct object *object)
{
    struct made *by = &made[object->allocated.context];

    if (by->rise != rise) {
        by->peak = by->bytes;
        by->rise = rise;
    }
    return by;
}

void heap_report_allocated(const struct object *object, bool kept)
{
    struct made *by = made_by(object);

    totals.allocated++;
    totals.lost += !kept;
    if (!kept)
        return;
    by->objects++;
    by->bytes += object->size;
    live_bytes += object->size;
    if (live_bytes <= totals.peak)
        return;
    totals.peak = live_bytes;
    rise++;
}

void heap_report_gone(const struct object *object)
{
    struct made *by = made_by(object);

    assert(by->objects > 0 && by->bytes >= object->size && live_bytes >= by->bytes);
    by->objects--;
    by->bytes -= object->size;
    live_bytes -= object->size;
}

void heap_report_freed(const struct object *object)
{
    totals.freed++;
    heap_report_gone(object);
}

void heap_report_overwritten(const struct object *object)
{
    totals.reused++;
    heap_report_gone(object);
}

void heap_report_tell(void)
{
    for (uint32_t i = 0; i < REPORTS_MOST; i++)
        if (reports[i].count > 1)
            tell_heap(&reports[i], reports[i].head.cpu);
    for (uint32_t i = CONTEXT_NONE; i <= context_last(); i++) {
        uint64_t peak = made[i].rise == rise ? made[i].peak : made[i].bytes;

        if (made[i].objects > 0 || peak > 0)
            tell_live(i, made[i].objects, made[i].bytes, peak);
    }
    tell_objects(&totals);
}

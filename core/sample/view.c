/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of records.h. Each field is checked against the record's size before it is used. */
#include "core/sample/records.h"

#include "core/lib/assert.h"

/* The part of the record that is not yet parsed. */
struct unread {
    const uint64_t *next, *end;
};

static bool take(struct unread *words, uint64_t *value)
{
    if (words->next == words->end)
        return false;
    *value = *words->next++;
    return true;
}

/* Two 32-bit fields that share a word; the first is in the lower half. */
static bool take_pair(struct unread *words, uint32_t *first, uint32_t *second)
{
    uint64_t both;

    if (!take(words, &both))
        return false;
    *first = (uint32_t)both;
    *second = (uint32_t)(both >> 32);
    return true;
}

static bool take_many(struct unread *words, size_t count, const uint64_t **values)
{
    if (count > (size_t)(words->end - words->next))
        return false;
    *values = words->next;
    words->next += count;
    return true;
}

static bool take_chain(struct unread *words, struct sample_view *view)
{
    uint64_t length;

    if (!take(words, &length) || !take_many(words, length, &view->chain))
        return false;
    view->chain_length = length;
    return true;
}

/* The 32-bit size and the bytes after it together fill whole words. */
static bool take_raw(struct unread *words, struct sample_view *view)
{
    const uint64_t *all;
    uint32_t size;

    if (words->next == words->end)
        return false;
    size = (uint32_t)*words->next;
    if ((sizeof(size) + size) % sizeof(uint64_t) != 0 ||
        !take_many(words, (sizeof(size) + size) / sizeof(uint64_t), &all))
        return false;
    view->raw = (const char *)all + sizeof(size);
    view->raw_size = size;
    return true;
}

static bool take_registers(struct unread *words, struct sample_view *view)
{
    if (!take(words, &view->registers_abi))
        return false;
    if (view->registers_abi == PERF_SAMPLE_REGS_ABI_NONE)
        return true;
    for (uint64_t left = view->event->attr.sample_regs_intr; left; left &= left - 1)
        view->register_count++;
    return take_many(words, view->register_count, &view->registers);
}

static bool take_fields(struct unread *words, struct sample_view *view)
{
    uint64_t fields = view->event->attr.sample_type;
    uint32_t reserved;

    if (fields & ~(uint64_t)(SAMPLE_ALWAYS | SAMPLE_OPTIONAL))
        return false; /* an unknown field could not be skipped */
    if ((fields & PERF_SAMPLE_IP) && !take(words, &view->ip))
        return false;
    if ((fields & PERF_SAMPLE_TID) && !take_pair(words, &view->pid, &view->tid))
        return false;
    if ((fields & PERF_SAMPLE_TIME) && !take(words, &view->time))
        return false;
    if ((fields & PERF_SAMPLE_ADDR) && !take(words, &view->addr))
        return false;
    if ((fields & PERF_SAMPLE_CPU) && !take_pair(words, &view->cpu, &reserved))
        return false;
    if ((fields & PERF_SAMPLE_PERIOD) && !take(words, &view->period))
        return false;
    if ((fields & PERF_SAMPLE_CALLCHAIN) && !take_chain(words, view))
        return false;
    if ((fields & PERF_SAMPLE_RAW) && !take_raw(words, view))
        return false;
    if ((fields & PERF_SAMPLE_REGS_INTR) && !take_registers(words, view))
        return false;
    return words->next == words->end;
}

/* IDENTIFIER comes first, so that samples of different layouts can share a ring. */
static const struct recorded_event *event_of(uint64_t id, const struct recorded_event *events,
                                             size_t event_count)
{
    for (size_t i = 0; i < event_count; i++)
        if (events[i].id == id && (events[i].attr.sample_type & PERF_SAMPLE_IDENTIFIER))
            return &events[i];
    return NULL;
}

bool sample_view_parse(const struct perf_event_header *record, const struct recorded_event *events,
                       size_t event_count, struct sample_view *view)
{
    uint64_t id;

    if (record->type != PERF_RECORD_SAMPLE || record->size < sizeof(*record) ||
        record->size % sizeof(uint64_t) != 0 || (uintptr_t)record % sizeof(uint64_t) != 0)
        return false;

    struct unread words = {.next = (const uint64_t *)(record + 1)};
    words.end = words.next + (record->size - sizeof(*record)) / sizeof(uint64_t);
    if (!take(&words, &id))
        return false;

    *view = (struct sample_view){.event = event_of(id, events, event_count)};
    if (view->event == NULL)
        return false;
    view->period = view->event->attr.sample_period;
    return take_fields(&words, view);
}

uint64_t sample_time(const struct perf_event_header *header)
{
    const uint64_t *words = (const uint64_t *)(header + 1);

    return words[header->type == PERF_RECORD_SAMPLE ? 3 : 4];
}

void chain_walk_start(struct chain_walk *walk, const struct sample_view *view, bool caller,
                      size_t most)
{
    assert(most <= CHAIN_WALK_MOST);
    *walk = (struct chain_walk){
        .chain = view->chain, .length = view->chain_length, .most = most, .caller = caller};
}

bool chain_walk_next(struct chain_walk *walk, uint64_t *address)
{
    while (walk->seen < walk->length && walk->given < walk->most) {
        size_t index = walk->caller ? walk->length - 1 - walk->seen : walk->seen;
        walk->seen++;
        if (walk->chain[index] >= (uint64_t)PERF_CONTEXT_MAX)
            continue;
        walk->given++;
        *address = walk->chain[index];
        return true;
    }
    return false;
}

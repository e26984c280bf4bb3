/* SPDX-License-Identifier: BSD-2-Clause */
/* See everything_walk.h. */
#include "tests/kernel/everything_walk.h"

#include "arch/memory.h"
#include "core/event/event.h"
#include "core/lib/print.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"
#include "kernel/x86_64/memory/image.h"

/*
 * PERF_RECORD_THROTTLE in <linux/perf_event.h>; with SAMPLE_ALWAYS, sample_id follows `stream_id`.
 */
struct throttle_record {
    struct perf_event_header header;
    uint64_t time, id, stream_id;
    uint32_t pid, tid;
    uint64_t claimed; /* the time when its place in the ring was claimed */
    uint32_t cpu, reserved;
    uint64_t identifier;
};

static size_t event_index(const struct record_source *source, uint64_t id)
{
    size_t i = 0;

    while (i < source->event_count && source->events[i].id != id)
        i++;
    return i;
}

/* Consumes a marker and the addresses after it that lie within these bounds; returns how many. */
static size_t take_frames(const struct sample_view *view, size_t *at, uint64_t marker,
                          uintptr_t low, uintptr_t high)
{
    const size_t from = *at + 1;

    if (*at == view->chain_length || view->chain[*at] != marker)
        return 0;
    for (*at = from; *at < view->chain_length; ++*at)
        if (view->chain[*at] < low || view->chain[*at] > high)
            break;
    return *at - from;
}

/*
 * A chain is the kernel's marker and addresses of its text, or a program's marker and addresses
 * where programs are, or both in this order, neither empty; the first address is the sampled place.
 */
static bool chain_holds(const struct sample_view *view, bool *of_program)
{
    size_t at = 0, in_kernel, in_program;

    in_kernel =
        take_frames(view, &at, (uint64_t)PERF_CONTEXT_KERNEL, (uintptr_t)_text, (uintptr_t)_etext);
    in_program =
        take_frames(view, &at, (uint64_t)PERF_CONTEXT_USER, ARCH_USER_START, ARCH_USER_END - 1);
    *of_program = in_program > 0;
    return in_kernel + in_program > 0 && in_kernel + in_program <= SAMPLE_CHAIN_MAX &&
           at == view->chain_length && view->chain[1] == view->ip;
}

static bool is_of_a_field(const struct pitot_tracepoint *tracepoint, size_t offset)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        if (offset >= tracepoint->field[i].offset &&
            offset < (size_t)tracepoint->field[i].offset + tracepoint->field[i].size)
            return true;
    return false;
}

/* What the description leaves out is 0, and not what the stack had there. */
static bool holes_are_zero(const struct pitot_tracepoint *tracepoint, const char *record)
{
    for (size_t i = sizeof(struct tracepoint_head); i < tracepoint->raw_size; i++)
        if (record[i] != 0 && !is_of_a_field(tracepoint, i))
            return false;
    return true;
}

/* A tracepoint's own record, written by the thread that the sample names; others have none. */
static bool raw_holds(const struct sample_view *view)
{
    const struct tracepoint_head *head = view->raw;
    const struct pitot_tracepoint *tracepoint;

    if (view->event->attr.type != PERF_TYPE_TRACEPOINT)
        return view->raw == NULL;
    tracepoint = tracepoint_by_id(view->event->attr.config);
    return tracepoint && view->raw_size == tracepoint->raw_size &&
           head->common_type == view->event->attr.config &&
           head->common_pid == (int32_t)view->tid && head->common_tgid == (int32_t)view->pid &&
           holes_are_zero(tracepoint, view->raw);
}

static bool is_within(uint64_t address, uintptr_t function)
{
    struct symbol symbol;

    return symbols_find_address(function, &symbol) && address - symbol.address < symbol.size;
}

/*
 * The clock's samples may be in an interrupt at the end of a recording, when interrupts are enabled
 * again: they count only as inside the clock's recording.
 */
static bool passes_recording(const struct sample_view *view)
{
    for (size_t i = 1; i < view->chain_length; i++) {
        if (is_within(view->chain[i], (uintptr_t)event_sample))
            return false;
        if (is_within(view->chain[i], (uintptr_t)tracepoint_hit) ||
            is_within(view->chain[i], (uintptr_t)tracepoint_hit_at))
            return true;
    }
    return false;
}

/* Returns the sample's time, or 0 if it is inconsistent. */
static uint64_t walk_sample(struct everything_walk *walk, const struct record_source *source,
                            const struct perf_event_header *record, size_t inside_of)
{
    struct sample_view view;
    bool of_program;
    size_t index;

    if (!sample_view_parse(record, source->events, source->event_count, &view) ||
        !chain_holds(&view, &of_program) || !raw_holds(&view) || view.cpu != 0)
        return 0;
    index = event_index(source, view.event->id);
    walk->samples++;
    walk->of_programs += of_program;
    walk->by_event[index]++;
    walk->inside += index == inside_of && passes_recording(&view);
    return view.time;
}

static uint64_t walk_throttle(struct everything_walk *walk, const struct record_source *source,
                              const struct perf_event_header *header)
{
    const struct throttle_record *record = (const struct throttle_record *)header;

    if (header->size != sizeof(*record) || record->cpu != 0 || record->id != record->identifier ||
        record->id != record->stream_id || record->time > record->claimed ||
        event_index(source, record->id) == source->event_count)
        return 0;
    walk->throttles++;
    return record->claimed;
}

static uint64_t walk_record(struct everything_walk *walk, const struct record_source *source,
                            const struct perf_event_header *record, size_t inside_of)
{
    if (record->type == PERF_RECORD_THROTTLE || record->type == PERF_RECORD_UNTHROTTLE)
        return walk_throttle(walk, source, record);
    return walk_sample(walk, source, record, inside_of);
}

struct everything_walk everything_walk(const struct record_source *source, size_t inside_of)
{
    static _Alignas(8) uint8_t bytes[SAMPLE_SIZE_MAX];
    const struct perf_event_header *record = (const struct perf_event_header *)bytes;
    struct everything_walk walk = {.samples = 0};
    struct ring_reader reader;
    uint64_t last = 0;

    ring_reader_start(&reader, recording_ring(0));
    while (ring_read(&reader, bytes, sizeof(bytes)) == RING_READ_RECORD) {
        uint64_t time = walk_record(&walk, source, record, inside_of);

        if (time == 0 && walk.malformed++ == 0)
            print("# malformed: type %u, %u bytes, that end at %llu\n", record->type, record->size,
                  (unsigned long long)reader.position);
        walk.backwards += time != 0 && time < last;
        last = time ? time : last;
    }
    walk.skipped = reader.skipped + reader.ring->published - reader.position;
    return walk;
}

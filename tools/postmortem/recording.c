/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. Called by tools/postmortem/main.c. */
#include "tools/postmortem/recording.h"

#include <stdlib.h>
#include <string.h>

#include "core/abi/perf_pipe.h"
#include "core/sample/records.h"

/* No kernel of ours has more: larger numbers are damage. */
#define RINGS_MAX  4096
#define EVENTS_MAX 4096
#define TASKS_MAX  65536
#define NAME_MAX   256

static bool read_recorder(struct memory *memory, uint64_t address, struct recorder *recorder)
{
    if (!memory->read(memory, address, recorder, sizeof(*recorder)) ||
        recorder->magic != RECORDER_MAGIC)
        return complain(memory->path, "what describes the recording is damaged");
    if (recorder->version != RECORDER_VERSION || recorder->size != sizeof(*recorder))
        return complain(memory->path,
                        "a kernel that describes its recording in version %u; this program knows "
                        "version %u: use the one that was built with the kernel",
                        recorder->version, RECORDER_VERSION);
    if (recorder->ring_count > RINGS_MAX || recorder->ring.claim_count > RING_NESTING)
        return complain(memory->path, "what describes the recording is damaged");
    return true;
}

/* --- Events and names. --- */

static bool read_event(struct memory *memory, const struct recorder_event *layout, uint64_t address,
                       struct recorded_event *event)
{
    size_t attr = sizeof(event->attr), name = sizeof(event->name) - 1;

    /* A kernel with other headers may have a longer or shorter attribute; the rest is 0. */
    attr = layout->attr_size < attr ? layout->attr_size : attr;
    name = layout->name_size < name ? layout->name_size : name;
    return memory->read(memory, address + layout->id, &event->id, sizeof(event->id)) &&
           memory->read(memory, address + layout->attr, &event->attr, attr) &&
           memory->read(memory, address + layout->name, event->name, name) &&
           event->attr.sample_type & PERF_SAMPLE_IDENTIFIER;
}

static bool read_events(struct recording *recording, struct memory *memory,
                        const struct recorder *recorder)
{
    uint32_t count;
    uint64_t first;

    if (!memory->read(memory, recorder->event_count, &count, sizeof(count)) ||
        !memory->read(memory, recorder->events, &first, sizeof(first)) || count > EVENTS_MAX)
        return complain(memory->path, "the list of events is damaged");
    if (count == 0)
        return complain(memory->path, "no recording there: `perf record` did not run");
    recording->event_count = count;
    recording->events = calloc(count, sizeof(*recording->events));
    for (uint32_t i = 0; recording->events && i < count; i++)
        if (!read_event(memory, &recorder->event, first + (uint64_t)i * recorder->event.stride,
                        &recording->events[i]))
            return complain(memory->path, "event %u is damaged", i + 1);
    return recording->events || complain(memory->path, "out of memory");
}

static bool read_name(struct memory *memory, uint64_t address, size_t size, const char **name)
{
    char *text;
    uint64_t place;

    size = size < NAME_MAX ? size : NAME_MAX;
    *name = NULL;
    if (!memory->read(memory, address, &place, sizeof(place)))
        return false;
    if (!place)
        return true; /* the entry is a thread's end, which has no name */
    text = calloc(size + 1, 1);
    *name = text;
    return text && memory->read(memory, place, text, size);
}

/* Reads the fields of a mapping other than the name. */
static bool read_mapping(struct memory *memory, const struct recorder_task *layout,
                         uint64_t address, struct recorded_task *task)
{
    uint8_t *build_id = calloc(1, PERF_PIPE_BUILD_ID_SIZE);
    uint64_t place;

    if (!build_id ||
        !memory->read(memory, address + layout->start, &task->start, sizeof(task->start)) ||
        !memory->read(memory, address + layout->offset, &task->offset, sizeof(task->offset)) ||
        !memory->read(memory, address + layout->build_id, &place, sizeof(place)))
        return false;
    task->build_id = place ? build_id : NULL;
    return !place || memory->read(memory, place, build_id, PERF_PIPE_BUILD_ID_SIZE);
}

static bool read_task(struct memory *memory, const struct recorder_task *layout, uint64_t address,
                      struct recorded_task *task)
{
    return memory->read(memory, address + layout->pid, &task->pid, sizeof(task->pid)) &&
           memory->read(memory, address + layout->tid, &task->tid, sizeof(task->tid)) &&
           memory->read(memory, address + layout->parent, &task->parent, sizeof(task->parent)) &&
           memory->read(memory, address + layout->time, &task->time, sizeof(task->time)) &&
           memory->read(memory, address + layout->size, &task->size, sizeof(task->size)) &&
           read_name(memory, address + layout->name,
                     task->size ? layout->path_size : layout->name_size, &task->comm) &&
           (!task->size || (task->comm && read_mapping(memory, layout, address, task)));
}

/* Reads the names. A failure is not fatal: without names perf shows numbers. */
static bool read_tasks(struct recording *recording, struct memory *memory,
                       const struct recorder *recorder)
{
    struct recorder_tasks tasks;
    uint64_t count;

    if (!memory->read(memory, recorder->tasks, &tasks, sizeof(tasks)) ||
        !memory->read(memory, tasks.count, &count, sizeof(count)) || count > TASKS_MAX)
        return complain(memory->path, "the names of threads are damaged: there will be numbers");
    recording->tasks = calloc(count + 1, sizeof(*recording->tasks));
    for (uint64_t i = 0; recording->tasks && i < count; i++, recording->task_count++)
        if (!read_task(memory, &tasks.task, tasks.first + i * tasks.task.stride,
                       &recording->tasks[i]))
            return complain(memory->path, "the names of threads are damaged from the %lluth on",
                            (unsigned long long)i + 1);
    return recording->tasks || complain(memory->path, "out of memory");
}

/* --- Rings. --- */

static bool read_claims(struct memory *memory, const struct recorder_ring *layout, uint64_t address,
                        struct ring *ring)
{
    for (uint32_t i = 0; i < layout->claim_count; i++) {
        uint64_t claim = address + layout->claims + (uint64_t)i * layout->claim_stride;
        struct ring_claim *to = &ring->claims[i];

        if (!memory->read(memory, claim + layout->claim_offset, &to->offset, sizeof(to->offset)) ||
            !memory->read(memory, claim + layout->claim_size, &to->size, sizeof(to->size)))
            return false;
    }
    return true;
}

static bool read_fields(struct memory *memory, const struct recorder_ring *layout, uint64_t address,
                        struct ring *ring)
{
    const struct {
        uint32_t offset;
        uint64_t *to;
    } fields[] = {
        {layout->size, &ring->size},           {layout->head, &ring->head},
        {layout->published, &ring->published}, {layout->tail, &ring->tail},
        {layout->nest, &ring->nest},           {layout->produced, &ring->produced},
        {layout->dropped, &ring->dropped},     {layout->overwritten, &ring->overwritten},
    };
    uint32_t mode;

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (!memory->read(memory, address + fields[i].offset, fields[i].to, sizeof(uint64_t)))
            return false;
    if (!memory->read(memory, address + layout->mode, &mode, sizeof(mode)))
        return false;
    ring->mode = mode == layout->overwrites ? RING_OVERWRITE : RING_NORMAL;
    return read_claims(memory, layout, address, ring);
}

/* Reads a ring. Returns why it is damaged, or NULL. */
static const char *read_ring(struct memory *memory, const struct recorder_ring *layout,
                             uint64_t address, uint64_t bytes, struct ring *ring)
{
    const char *fault;

    if (!read_fields(memory, layout, address, ring))
        return "it cannot be read";
    fault = ring_walk_refuses(ring);
    if (fault)
        return fault;
    ring->bytes = malloc(ring->size);
    if (!ring->bytes || !memory->read(memory, bytes, ring->bytes, ring->size))
        return "its bytes cannot be read";
    return NULL;
}

static bool read_rings(struct recording *recording, struct memory *memory,
                       const struct recorder *recorder)
{
    recording->rings = calloc(recorder->ring_count + 1, sizeof(*recording->rings));
    for (uint32_t cpu = 0; recording->rings && cpu < recorder->ring_count; cpu++) {
        struct recorded_ring *ring = &recording->rings[recording->ring_count];
        uint64_t address = recorder->rings + (uint64_t)cpu * recorder->ring_stride, bytes;

        if (!memory->read(memory, address + recorder->ring.bytes, &bytes, sizeof(bytes)))
            return complain(memory->path, "the ring of CPU %u cannot be read", cpu);
        if (bytes == 0)
            continue;
        ring->cpu = cpu;
        ring->record = malloc(RING_RECORD_MAX);
        if (!ring->record)
            return complain(memory->path, "out of memory");
        ring->fault = read_ring(memory, &recorder->ring, address, bytes, &ring->ring);
        recording->ring_count++;
    }
    if (recording->ring_count == 0)
        return complain(memory->path, "no recording there: it was just being started");
    return recording->rings || complain(memory->path, "out of memory");
}

/* --- Records. --- */

/* Special values of a recorded_ring's `time`. */
#define NOTHING UINT64_MAX
#define UNKNOWN (UINT64_MAX - 1) /* not read yet */

static void rewind_recording(struct record_source *source)
{
    struct recording *recording = (struct recording *)source;

    for (size_t i = 0; i < recording->ring_count; i++) {
        struct recorded_ring *ring = &recording->rings[i];

        ring_walk_start(&ring->walk, &ring->ring);
        ring->foreign = 0;
        ring->damaged = false;
        ring->time = ring->fault ? NOTHING : UNKNOWN;
    }
}

/*
 * True for a throttle record of one of the events, by the id at its end: { header; u64 time, id,
 * stream; sample_id }.
 */
static bool is_throttle(const struct recording *recording, const struct perf_event_header *record,
                        uint64_t *time)
{
    uint64_t words[8];

    if (record->type != PERF_RECORD_THROTTLE && record->type != PERF_RECORD_UNTHROTTLE)
        return false;
    if (record->size != sizeof(words))
        return false;
    memcpy(words, record, sizeof(words));
    *time = words[5];
    for (size_t i = 0; i < recording->event_count; i++)
        if (recording->events[i].id == words[7])
            return true;
    return false;
}

/* True if perf can read the record; the stream has only such records. Stores the record's time. */
static bool is_ours(const struct recording *recording, const struct perf_event_header *record,
                    uint64_t *time)
{
    struct sample_view view;

    if (record->size > STREAM_STAGE)
        return false;
    if (is_throttle(recording, record, time))
        return true;
    if (!sample_view_parse(record, recording->events, recording->event_count, &view))
        return false;
    *time = view.time;
    return true;
}

/* Takes the ring's next record. If there is none, the ring's time is NOTHING. */
static void advance(const struct recording *recording, struct recorded_ring *ring)
{
    enum ring_walk_step step;

    while ((step = ring_walk_next(&ring->walk, ring->record)) == RING_WALK_RECORD) {
        if (is_ours(recording, (const void *)ring->record, &ring->time))
            return;
        ring->foreign++;
    }
    ring->damaged = step == RING_WALK_DAMAGED;
    ring->time = NOTHING;
}

/* Returns records in the order of core/recording/recording.c: by time, then by CPU. */
static const struct perf_event_header *next_record(struct record_source *source)
{
    struct recording *recording = (struct recording *)source;
    struct recorded_ring *oldest = &recording->rings[0];

    for (size_t i = 0; i < recording->ring_count; i++) {
        struct recorded_ring *ring = &recording->rings[i];

        if (ring->time == UNKNOWN)
            advance(recording, ring);
        if (ring->time < oldest->time)
            oldest = ring;
    }
    if (oldest->time == NOTHING)
        return NULL;
    if (oldest->time > recording->newest)
        recording->newest = oldest->time;
    oldest->time = UNKNOWN;
    return (const struct perf_event_header *)oldest->record;
}

bool recording_read(struct recording *recording, struct memory *memory, uint64_t address)
{
    struct recorder recorder;

    memset(recording, 0, sizeof(*recording));
    if (!read_recorder(memory, address, &recorder) || !read_events(recording, memory, &recorder) ||
        !read_rings(recording, memory, &recorder) || !tracepoints_read(memory, &recorder))
        return false;
    read_tasks(recording, memory, &recorder);
    recording->source = (struct record_source){.rewind = rewind_recording,
                                               .next = next_record,
                                               .events = recording->events,
                                               .event_count = recording->event_count};
    rewind_recording(&recording->source);
    return true;
}

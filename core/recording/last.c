/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last boot's recording of kept.h. A writer that the reset interrupted loses only its own
 * record (core/ring/walk.c).
 */
#include "core/recording/kept.h"

#include "arch/cpu.h"
#include "core/host.h"
#include "core/lib/crc32.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/recording/recording.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"

/* Special values of `time` in struct last_ring; NOTHING: no record is left. */
#define NOTHING UINT64_MAX
#define UNKNOWN (UINT64_MAX - 1) /* not read yet */

struct last_ring {
    struct ring ring; /* its bytes point into the copy */
    struct ring_walk walk;
    uint64_t time;
};

/* Set by last_find at boot; the walks belong to the only reader. */
static struct last {
    struct record_source source;
    struct last_ring rings[ARCH_CPUS_MAX];
    unsigned ring_count;
    struct recorded_event events[RECORDING_EVENTS_MAX];
    struct recording_task_name names[RECORDING_TASK_NAMES];
    size_t name_count;
    char end[KEPT_END_SIZE];
    _Alignas(8) uint8_t record[RING_RECORD_MAX];
    uint64_t samples, foreign, unfinished; /* numbers of records */
    uint64_t damaged;                      /* number of bytes */
    bool there, shown;
} last;

static struct refusal missing = {"nobody has looked for it"};

/* --- Validation --- */

/* Returns -ENODATA if there may never have been a recording, so that boot prints nothing. */
static int check_head(const struct kept_head *head)
{
    size_t bytes = 0;
    void *start = host.memory_kept ? host.memory_kept(&bytes) : NULL;

    if (!start)
        return refuse(&missing, ENODATA, "this machine has no memory that a reset leaves alone");
    if (head->magic != KEPT_MAGIC)
        return refuse(
            &missing, ENODATA,
            "the machine was switched on, its firmware clears memory, or nothing was recorded");
    if (head->version != KEPT_VERSION || head->crc != kept_head_crc(head))
        return refuse(&missing, EINVAL, "its description was overwritten");
    if (memcmp(head->build_id, arch_build_id(), sizeof(head->build_id)) != 0)
        return refuse(&missing, EINVAL,
                      "it is of another build, %02x%02x%02x%02x..., whose addresses mean "
                      "other functions",
                      head->build_id[0], head->build_id[1], head->build_id[2], head->build_id[3]);
    if (head->memory != (uintptr_t)start || head->memory_size != bytes)
        return refuse(&missing, EINVAL,
                      "the machine had other memory: %llu bytes were kept, %zu are now",
                      (unsigned long long)head->memory_size, bytes);
    if (!head->fits)
        return refuse(&missing, EINVAL,
                      "its %u rings of %llu bytes did not fit into the %zu that survive",
                      head->ring_count, (unsigned long long)head->ring_size, bytes);
    return 0;
}

/* Also refuses impossible values whose CRC is correct. */
static int check_body(const struct kept_head *head)
{
    size_t events = head->event_count;

    if (events == 0 || events > RECORDING_EVENTS_MAX || head->ring_count == 0 ||
        head->ring_count > ARCH_CPUS_MAX || head->ring_size > head->memory_size / head->ring_count)
        return refuse(&missing, EINVAL, "its description has impossible values");
    if (head->events_crc != crc32_update(0, kept.events, events * sizeof(kept.events[0])))
        return refuse(&missing, EINVAL, "the description of its %zu event%s was overwritten",
                      events, print_plural(events));
    return 0;
}

/* --- The copy --- */

static void take_ring(struct last_ring *to, const struct ring *from, uint8_t *bytes)
{
    to->ring = *from;
    to->ring.bytes = bytes;
    to->ring.size = kept.head.ring_size;
    to->ring.mode = kept.head.mode;
    if (ring_walk_refuses(&to->ring)) {
        last.damaged += to->ring.size;
        to->ring.head = to->ring.tail = 0;
    }
}

static int take_rings(const struct ring *rings)
{
    const struct kept_head *head = &kept.head;
    size_t bytes = head->ring_size * head->ring_count;
    char what[64];
    uint8_t *copy;

    print_into(what, sizeof(what), "no memory for a copy of its %zu bytes", bytes);
    copy = recording_take(bytes, what, &missing);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, host.memory_kept(&(size_t){0}), bytes);
    last.ring_count = head->ring_count;
    for (unsigned cpu = 0; cpu < last.ring_count; cpu++)
        take_ring(&last.rings[cpu], &rings[cpu], copy + cpu * head->ring_size);
    return 0;
}

/* --- Records --- */

/* { header; u64 time, id, stream; sample_id }: the sixth word is the time in sample_id. */
static bool is_throttle(const struct perf_event_header *record, uint64_t *time)
{
    if ((record->type != PERF_RECORD_THROTTLE && record->type != PERF_RECORD_UNTHROTTLE) ||
        record->size != 8 * sizeof(uint64_t))
        return false;
    *time = ((const uint64_t *)record)[5];
    return true;
}

static bool is_ours(const struct perf_event_header *record, uint64_t *time)
{
    struct sample_view view;

    if (record->size > SAMPLE_SIZE_MAX)
        return false;
    if (!is_throttle(record, time)) {
        if (!sample_view_parse(record, last.events, last.source.event_count, &view))
            return false;
        *time = view.time;
    }
    return *time < UNKNOWN;
}

/* Finds the ring's next valid record and its time; leaves the walk before that record. */
static void look_ahead(struct last_ring *ring)
{
    for (;;) {
        struct ring_walk ahead = ring->walk;
        enum ring_walk_step step = ring_walk_next(&ahead, last.record);

        ring->time = NOTHING;
        if (step == RING_WALK_RECORD && is_ours((const void *)last.record, &ring->time))
            return;
        ring->time = NOTHING;
        ring->walk = ahead;
        if (step == RING_WALK_END)
            return;
        if (step == RING_WALK_DAMAGED) {
            last.damaged += ring->ring.head - ring->walk.position;
            return;
        }
        last.foreign++;
    }
}

static void last_rewind(struct record_source *source)
{
    (void)source;
    last.foreign = last.damaged = 0;
    for (unsigned i = 0; i < last.ring_count; i++) {
        ring_walk_start(&last.rings[i].walk, &last.rings[i].ring);
        last.rings[i].time = UNKNOWN;
    }
}

static const struct perf_event_header *last_next(struct record_source *source)
{
    struct last_ring *oldest = &last.rings[0];

    (void)source;
    for (unsigned i = 0; i < last.ring_count; i++) {
        if (last.rings[i].time == UNKNOWN)
            look_ahead(&last.rings[i]);
        if (last.rings[i].time < oldest->time)
            oldest = &last.rings[i];
    }
    if (oldest->time == NOTHING)
        return NULL;
    oldest->time = UNKNOWN;
    ring_walk_next(&oldest->walk, last.record);
    return (const void *)last.record;
}

static void count_records(void)
{
    const struct perf_event_header *record;

    last_rewind(&last.source);
    while ((record = last_next(&last.source)))
        last.samples += record->type == PERF_RECORD_SAMPLE;
    for (unsigned i = 0; i < last.ring_count; i++)
        last.unfinished += last.rings[i].walk.unfinished;
}

/* --- At boot --- */

static int find(const struct ring *rings)
{
    int error = check_head(&kept.head);

    if (!error)
        error = check_body(&kept.head);
    if (!error)
        error = take_rings(rings);
    if (error)
        return error;
    memcpy(last.events, kept.events, sizeof(last.events));
    for (size_t i = 0; i < kept.head.event_count; i++)
        last.events[i].name[EVENT_NAME_SIZE - 1] = '\0';
    last.source = (struct record_source){.rewind = last_rewind,
                                         .next = last_next,
                                         .events = last.events,
                                         .event_count = kept.head.event_count};
    if (kept.end_crc == crc32_update(0, kept.end, sizeof(kept.end)))
        memcpy(last.end, kept.end, sizeof(last.end) - 1);
    last.there = true;
    return 0;
}

void last_find(struct ring *rings)
{
    uint64_t refused;
    int error;

    memset(&last, 0, sizeof(last));
    last.name_count = recording_tasks_left(last.names, RECORDING_TASK_NAMES);
    error = find(rings);
    refused = last.damaged; /* bytes of rings that were refused whole */
    kept_drop();
    memset(rings, 0, ARCH_CPUS_MAX * sizeof(*rings));
    if (error && error != -ENODATA)
        print("Pitot: the last boot's recording is not here: %s\n", missing.text);
    if (error)
        return;
    count_records();
    print("Pitot: the last boot's recording is here: %llu sample%s, ended by %s\n",
          (unsigned long long)last.samples, print_plural(last.samples),
          last.end[0] ? last.end : "a reset that the kernel did not ask for");
    if (last.unfinished)
        print("Pitot: ... %llu more were being written\n", (unsigned long long)last.unfinished);
    refused += last.damaged;
    if (refused || last.foreign)
        print("Pitot: ... without %llu bytes that were overwritten, and %llu records of no event\n",
              (unsigned long long)refused, (unsigned long long)last.foreign);
}

/* --- For a reader --- */

struct record_source *last_source(void)
{
    if (!last.there)
        return NULL;
    last.shown = true;
    last_rewind(&last.source);
    return &last.source;
}

const char *last_missing(void)
{
    return missing.text;
}

void last_hide(void)
{
    last.shown = false;
}

/* A report in an interrupt or NMI is about this boot, even if it interrupts the reader. */
bool last_shown(void)
{
    return last.shown && !arch_interrupted();
}

/* See core/sample/records.h. While the last boot's recording is shown, returns that boot's name. */
const char *comm_of(uint32_t tid)
{
    if (!last_shown())
        return recording_task_name(tid);
    for (size_t i = last.name_count; i-- > 0;) /* numbers are reused: the newest name counts */
        if (last.names[i].tid == tid)
            return last.names[i].name;
    return "";
}

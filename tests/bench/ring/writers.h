/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is measured: ways to put an event into a ring that keeps the newest. Besides this kernel's
 * own, the least that such a ring can do, and what a program on Linux has. Files that define
 * writers are compiled as their users would compile them: the kernel's with the kernel's flags.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#define RING_BYTES   (256u << 10) /* per thread */
#define PAYLOAD_MOST 256u

/* Makes an event as long as a plain sample: the words of SAMPLE_ALWAYS (core/sample/). */
#define PAYLOAD_OF_SAMPLE 40u

/* An event: a perf header, the time, and a payload that starts with these two words. */
#define EVENT_MARK 0x6f746950u
struct event {
    struct perf_event_header header; /* size: that of the whole event */
    uint64_t time;
    uint64_t mark;
    uint64_t sequence; /* counts from 1 */
    uint64_t rest[PAYLOAD_MOST / 8 - 2];
};

#define EVENT_SIZE(payload) (16u + (payload))

/* One thread's state. */
struct side {
    _Alignas(64) struct event event; /* the next event, prepared except for time and sequence */
    void *ring;
    unsigned payload;
};

struct writer {
    const char *name;
    bool clock;
    const char *(*missing)(void); /* why it is not measured; NULL, or returns NULL: it is */
    /*
     * Opens an empty ring for side->payload, called by the thread that writes into it; NULL: out of
     * memory. Every call makes another ring.
     */
    void *(*open)(struct side *side);
    void (*close)(struct side *side);
    /* Writes this many events, whose second payload word counts up. */
    void (*burst)(struct side *side, unsigned count);
    /*
     * NULL, or what is wrong with the ring's contents, which should be the newest events up to
     * side->event.sequence.
     */
    const char *(*fault)(struct side *side);
    unsigned payload; /* the only payload of its events; 0: any */
};

/* Defined by one source for each clock, compiled with -DCLOCK=running and -DCLOCK=still. */
#define PASTE_NAMES(left, right) left##right
#define PASTE(left, right)       PASTE_NAMES(left, right)
#define OF_CLOCK(name)           PASTE(name, CLOCK)
#define CLOCK_running            true
#define CLOCK_still              false
#define HAS_CLOCK                PASTE(CLOCK_, CLOCK)

extern const struct writer writer_floor_running, writer_floor_still;
extern const struct writer writer_floor_loop_running, writer_floor_loop_still;
extern const struct writer writer_floor_library_running, writer_floor_library_still;
extern const struct writer writer_floor_string_running, writer_floor_string_still;
extern const struct writer writer_output_running, writer_output_still;
extern const struct writer writer_parts_running, writer_parts_still;
extern const struct writer writer_sample_running, writer_sample_still;
extern const struct writer writer_ck_running, writer_ck_still;
extern const struct writer writer_lttng;

/*
 * Called for each of a ring's events, oldest first: NULL, or what is wrong with this event after
 * the last.
 */
static inline const char *event_fault(const struct event *event, uint64_t *last)
{
    bool follows = *last == 0 || event->sequence == *last + 1;

    *last = event->sequence;
    return event->mark != EVENT_MARK ? "an event without its mark"
           : follows                 ? NULL
                                     : "an event is missing or out of order";
}

/* Called after the last event: `kept` events were found. */
static inline const char *newest_fault(const struct side *side, uint64_t last, uint64_t kept)
{
    uint64_t room = RING_BYTES / EVENT_SIZE(side->payload);
    uint64_t least = side->event.sequence < room / 2 ? side->event.sequence : room / 2;

    return last != side->event.sequence ? "the newest event is missing"
           : kept < least               ? "less is kept than half a ring"
                                        : NULL;
}

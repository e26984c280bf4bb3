/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's only recording: its events, a ring per CPU, and the values of the counters. Report,
 * script and the stream read it until the next recording starts; counting (ring_size 0) leaves it
 * alone. Task context, except recording_source_for_report.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"

struct recording_options {
    /* Each has a complete attr: sample_type, period, registers. */
    struct event_spec events[RECORDING_EVENTS_MAX];
    unsigned event_count;
    uint64_t ring_size; /* bytes per CPU; 0: count only, and keep the last recording */
    bool overwrite;
    bool compress; /* compress the stream */
    uint64_t rate; /* maximum samples per second of one event; 0: no limit */
};

/*
 * Recovers the last boot's recording (last.h) and clears the ARCH_KEPT variables. Called at boot,
 * when host.memory_take works, before all other functions of core/recording/.
 */
void recording_init(void);

/*
 * Arms all events or none. Drops the last recording unless the events are only counted. Returns 0,
 * or a negative errno and the reason.
 */
int recording_start(const struct recording_options *options, struct refusal *why);

/* Disarms the events. The recording stays readable. */
void recording_stop(void);

bool recording_runs(void);

/* Freezes the rings; the events stay armed and count. For triggers and panics. Any context. */
void recording_freeze(void);
bool recording_frozen(void);

/* Waits until every hit that began before the freeze has ended. Task context. */
void recording_settle(void);

/* Returns the name of the trigger that ended the recording, or NULL. */
const char *recording_ended_by(void);

/* Returns the CPU's ring, or NULL if it has none. */
struct ring *recording_ring(unsigned cpu);

bool recording_overwrites(void);
bool recording_compresses(void); /* true if the stream compresses it */

/*
 * Return the records, from the oldest to the newest at the time of the call; or NULL if there is no
 * recording. Each call restarts at the oldest record and updates the counts. The readers are
 * independent: the stream may read while the console does, and an NMI's report may interrupt both.
 */
struct record_source *recording_source(void);
struct record_source *recording_source_for_stream(void);
struct record_source *recording_source_for_report(void);

/* Returns the event with this index among those armed last, with its current count. */
const struct recorded_event *recording_counted(unsigned event);

/*
 * Stores the counts of all events at one moment, marks their aggregates, and returns that moment
 * (arch_clock_ns). Must be called only while events are counted and not recorded. `counts` has
 * RECORDING_EVENTS_MAX entries.
 */
uint64_t recording_count(uint64_t *counts);

/* Returns the event's aggregate; NULL if there is no such event or it has no aggregate. */
const struct aggregate *recording_aggregate(unsigned event);

/* Totals over all CPUs and events. */
struct recording_counts {
    uint64_t produced, dropped, overwritten, throttled;
    uint64_t nameless; /* entries that did not fit in the table of threads */
    uint64_t foreign;  /* hits of threads outside the workload: neither counted nor recorded */
    uint64_t drained;  /* hits raised by the stream's own thread */
    uint64_t nested;   /* tracepoint hits during the recording of another one */
};
struct recording_counts recording_counts(void);

/* Returns how often that CPU's watches were found disarmed, which means that it missed hits. */
uint64_t recording_lapses(unsigned cpu);

/* Stores each CPU's dropped and overwritten records. Returns the number of CPUs. */
size_t recording_losses(struct recorded_loss *losses, size_t most);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's only recording: its events, a ring per CPU, and the values of the counters. Kept
 * until the next recording starts, so that report, script and the stream read the same records;
 * runs that only count (ring_size 0) leave it alone.
 * Task context, except recording_source in a panic, and recording_source_for_report.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/lib/refusal.h"
#include "core/recording/sizes.h"
#include "core/sample/records.h"

struct recording_options {
    /* With a complete attr: sample_type, period, registers. */
    struct event_spec events[RECORDING_EVENTS_MAX];
    unsigned event_count;
    uint64_t ring_size; /* bytes per CPU; 0: count only, and keep the last recording */
    bool overwrite;
    bool compress; /* compress the stream */
    uint64_t rate; /* most samples per second of one event; 0: no limit */
};

/*
 * Recovers the last boot's recording (core/recording/last.h) and clears the ARCH_KEPT variables.
 * Called once at boot, after host.memory_take works and before any other function of
 * core/recording/.
 */
void recording_init(void);

/*
 * Stores why this boot ends, as a string that the next boot prints; by default, a reset that the
 * kernel did not request. Any context.
 */
void recording_note_end(const char *words);

/*
 * Arms all events or none, and drops the last recording unless the events are only counted. Returns
 * 0, or a negative errno and the reason.
 */
int recording_start(const struct recording_options *options, struct refusal *why);

/* Disarms the events. The recording stays readable. */
void recording_stop(void);

/* True from recording_start to recording_stop. */
bool recording_runs(void);

/*
 * Stops recording: the events stay armed and count, but the rings keep what they hold. Called at
 * the first hit of a trigger, and in a panic. Any context.
 */
void recording_freeze(void);
bool recording_frozen(void);

/* Waits until every hit that began before the freeze has ended. Task context. */
void recording_settle(void);

/* The name of the event whose sample ended the recording; NULL: none did. */
const char *recording_ended_by(void);

/* The ring of `cpu`, NULL past the last CPU that records; and the mode of all rings. */
struct ring *recording_ring(unsigned cpu);
bool recording_overwrites(void);

/* True if the stream compresses the recording. */
bool recording_compresses(void);

/*
 * The records, from the oldest to the newest at the time of the call; NULL if nothing was ever
 * recorded. Each call restarts at the oldest record and updates the counts. The second function is
 * for the stream, which may read while the console does; the third is for a report in an NMI, which
 * may interrupt both.
 */
struct record_source *recording_source(void);
struct record_source *recording_source_for_stream(void);
struct record_source *recording_source_for_report(void);

/* The event with this index among those armed last, with its count, recorded or only counted. */
const struct recorded_event *recording_counted(unsigned event);

/*
 * Stores the counts of all events at one moment, marks their tallies (tally_mark), and returns the
 * time of that moment. Only for events that are counted and not recorded. `counts` has room for
 * RECORDING_EVENTS_MAX.
 */
uint64_t recording_count(uint64_t *counts);

/* The tally of the event with this index; NULL if it has none or there is no such event. */
const struct tally *recording_tally(unsigned event);

/* Totals over all CPUs and events; `nameless` counts threads that had no room in the table. */
struct recording_counts {
    uint64_t produced, dropped, overwritten, throttled, nameless;
    uint64_t foreign; /* hits of threads outside the workload: neither counted nor recorded */
    uint64_t drained; /* hits raised by the stream's own thread */
    uint64_t nested;  /* tracepoint hits during the recording of another one */
};
struct recording_counts recording_counts(void);

/* How often that CPU's watches were found disarmed, so that hits were missed. */
uint64_t recording_lapses(unsigned cpu);

/*
 * Stores each CPU's dropped and overwritten records, which the stream reports at its end; returns
 * the number of CPUs.
 */
size_t recording_losses(struct recorded_loss *losses, size_t most);

/*
 * Sets the function called after each sample of an event with `stop`, on the CPU of the hit, to
 * stop the program that runs there. Called at boot.
 */
void recording_set_stop(void (*stop)(void));

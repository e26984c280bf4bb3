/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's only recording: its events, a ring per CPU, and the values of the counters. Report,
 * script and the stream read it until the next recording starts; counting (ring_size 0) leaves it
 * alone. Task context, except recording_source_for_report.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/host.h"
#include "core/lib/refusal.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"
#include "core/task.h"

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
 * Recovers the last boot's recording (kept.h) and clears the ARCH_KEPT variables. Called at boot,
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

/* --- Its memory, taken from the host: rings, and tables of aggregates (memory.c). --- */

/* Returns memory; or NULL, and then `why` is `what`, a colon, and the host's reason. */
void *recording_take(size_t bytes, const char *what, struct refusal *why);

/* Replaces the rings of all CPUs. If it returns -ENOMEM or -EINVAL, no ring has memory. */
int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why);

/* Allocates the aggregates that `count` events need. Returns 0, or -ENOMEM and the reason. */
int recording_aggregates_take(struct event *events, unsigned count, struct refusal *why);
void recording_aggregates_give(struct event *events, unsigned count);

/* --- Its threads, with their latest names, and the code that they mapped (tasks.c). --- */

/*
 * Exited threads stay known until the next recording. The kernel reports threads (core/pitot.h);
 * the stream, core/sample/records.h and core/symbols/symbols.h read them.
 */

/*
 * Reports a thread; pitot_thread_named and pitot_thread_lived (core/pitot.h) call it. No effect
 * while nothing is recorded. Task context.
 */
void recording_task_named(uint32_t pid, const char *name, bool lived);

void recording_tasks_start(void);
void recording_tasks_stop(void);

/* Points *all to the entries, in the order of the reports; returns their number. Any context. */
size_t recording_tasks(const struct recorded_task **all);

/* Returns the latest name of the thread; "" if it has none. Any context. */
const char *recording_task_name(uint32_t tid);

/* Called first at boot. Moves the last boot's names to `to`, unchecked; returns their number. */
#define RECORDING_TASK_NAMES 1024

struct recording_task_name {
    uint32_t tid;
    char name[TASK_NAME_SIZE];
};
size_t recording_tasks_left(struct recording_task_name *to, size_t most);

/* Returns how many reports did not fit in the table; those threads are shown by number. */
uint64_t recording_tasks_lost(void);

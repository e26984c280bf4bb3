/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's one recording: its events, a ring for each CPU, and what the counters said. It is
 * kept until the next one starts, so that report, script and the stream read the same records. Task
 * context, but for recording_source in a panic and recording_source_for_report.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"

/*
 * About 1 KiB each, three times over: for the options, and for the last recording and the next.
 */
#define RECORDING_EVENTS_MAX   96
#define RECORDING_RING_DEFAULT (1024u * 1024)

struct recording_options {
    /* attr complete: sample_type, period, registers */
    struct event_spec events[RECORDING_EVENTS_MAX];
    unsigned event_count;
    uint64_t ring_size; /* bytes a CPU; 0: count only, record nothing */
    bool overwrite;
    bool compress; /* its stream */
    uint64_t rate; /* samples a second that one event may take; 0: any number */
};

/*
 * Drops the last recording and arms the events; all or none. 0, or a negative errno and the reason.
 */
int recording_start(const struct recording_options *options, struct refusal *why);

/* Disarms them. What was recorded stays readable. */
void recording_stop(void);

/* From recording_start to recording_stop. */
bool recording_runs(void);

/*
 * From here on events count and do not record, though they are still armed: what the rings hold
 * stays as it is. The first hit of a trigger does it, and a panic. Any context.
 */
void recording_freeze(void);
bool recording_frozen(void);

/* Returns when no hit is under way that began before it was frozen. Task context. */
void recording_settle(void);

/* The event whose sample did it; NULL: none. */
const char *recording_ended_by(void);

/* The ring of this CPU, NULL past the last one that records; and the mode of all of them. */
struct ring *recording_ring(unsigned cpu);
bool recording_overwrites(void);

/* Its stream is to be compressed. */
bool recording_compresses(void);

/*
 * The records so far, from the oldest to the newest of when it was rewound; NULL when nothing was
 * ever recorded. Each call starts anew and takes the counts anew. The second is the stream's own,
 * which may read while the console does; the third that of a report in an NMI, which may come upon
 * either.
 */
struct record_source *recording_source(void);
struct record_source *recording_source_for_stream(void);
struct record_source *recording_source_for_report(void);

/* The boot thread's name while it recorded, as comm_of (core/sample/comm.h) has it. */
const char *recording_comm(void);

/*
 * What each event has counted so far, all at one time, which is returned; only while it counts and
 * records nothing. `counts` has room for RECORDING_EVENTS_MAX.
 */
uint64_t recording_count(uint64_t *counts);

/* What the event-th event tells apart; NULL: nothing, or there is no such event. */
const struct tally *recording_tally(unsigned event);

/* Totals over all CPUs and events; and the threads that there was no room to name. */
struct recording_counts {
    uint64_t produced, dropped, overwritten, throttled, nameless;
    uint64_t
        foreign; /* hits of threads that are not the workload's: neither counted nor recorded */
    uint64_t drained; /* hits that the stream's own thread raised */
    uint64_t nested;  /* hits of tracepoints while one was being recorded: on its own way */
};
struct recording_counts recording_counts(void);

/* How often that CPU was found without the watches that it was to have, and missed hits. */
uint64_t recording_lapses(unsigned cpu);

/*
 * Dropped and overwritten records for each CPU, as the stream closes with them; returns how many
 * CPUs.
 */
size_t recording_losses(struct recorded_loss *losses, size_t most);

/*
 * Called after each sample of an event with `stop`, where it was hit: the program that runs there
 * stops. Boot.
 */
void recording_set_stop(void (*stop)(void));

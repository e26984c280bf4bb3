/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's one recording: its events, a ring for each CPU, and the values of the counters. It
 * is kept until the next one starts, so that report, script and the stream read the same records;
 * events that are only counted (ring_size 0) leave it alone.
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
    /* attr complete: sample_type, period, registers */
    struct event_spec events[RECORDING_EVENTS_MAX];
    unsigned event_count;
    uint64_t ring_size; /* bytes a CPU; 0: count only, and keep the last recording */
    bool overwrite;
    bool compress; /* the stream is compressed */
    uint64_t rate; /* samples a second that one event may take; 0: any number */
};

/*
 * Reads what the last boot has left (core/recording/last.h), and clears what is ARCH_KEPT. Boot,
 * once, before anything else of this room and after host.memory_take works.
 */
void recording_init(void);

/*
 * What ends this boot, in words, for the line that the next one prints; without a call it is a
 * reset that the kernel did not ask for. Any context.
 */
void recording_note_end(const char *words);

/*
 * Arms all events, or none, and drops the last recording unless they are only counted. Returns 0,
 * or a negative errno and the reason.
 */
int recording_start(const struct recording_options *options, struct refusal *why);

/* Disarms the events. What was recorded stays readable. */
void recording_stop(void);

/* True from recording_start to recording_stop. */
bool recording_runs(void);

/*
 * From here on the events, though still armed, count but do not record: the rings keep what they
 * hold. Called at the first hit of a trigger, and in a panic. Any context.
 */
void recording_freeze(void);
bool recording_frozen(void);

/* Returns when every hit that began before the freeze has ended. Task context. */
void recording_settle(void);

/* The name of the event whose sample ended the recording; NULL: none did. */
const char *recording_ended_by(void);

/* The ring of this CPU, NULL past the last one that records; and the mode of all of them. */
struct ring *recording_ring(unsigned cpu);
bool recording_overwrites(void);

/* True if the stream is to be compressed. */
bool recording_compresses(void);

/*
 * The records from the oldest one to the newest one at the time of the call; NULL if nothing was
 * ever recorded. Each call starts again at the oldest record and takes the counts again. The second
 * function is for the stream, which may read while the console does; the third is for a report in
 * an NMI, which may interrupt both.
 */
struct record_source *recording_source(void);
struct record_source *recording_source_for_stream(void);
struct record_source *recording_source_for_report(void);

/*
 * What the event with this index has counted, of those that were armed last, recorded or only
 * counted.
 */
const struct recorded_event *recording_counted(unsigned event);

/*
 * Stores what each event has counted so far, all at one moment, and returns the time of that
 * moment; its tally is marked there (tally_mark). Only for events that are only counted. `counts`
 * has room for RECORDING_EVENTS_MAX.
 */
uint64_t recording_count(uint64_t *counts);

/* The tally of the event with this index; NULL: it has none, or there is no such event. */
const struct tally *recording_tally(unsigned event);

/* Totals over all CPUs and events; and the threads whose names had no room. */
struct recording_counts {
    uint64_t produced, dropped, overwritten, throttled, nameless;
    uint64_t foreign; /* hits of threads outside the workload: neither counted nor recorded */
    uint64_t drained; /* hits that the stream's own thread raised */
    uint64_t nested;  /* hits of tracepoints that came while a tracepoint's hit was being
                       * recorded */
};
struct recording_counts recording_counts(void);

/* How often that CPU was found with its watches disarmed, so that it missed hits. */
uint64_t recording_lapses(unsigned cpu);

/*
 * Dropped and overwritten records of each CPU, which the stream tells at its end; returns the
 * number of CPUs.
 */
size_t recording_losses(struct recorded_loss *losses, size_t most);

/*
 * Names the function that is called after each sample of an event with `stop`, on the CPU of the
 * hit, to stop the program that runs there. Called at boot.
 */
void recording_set_stop(void (*stop)(void));

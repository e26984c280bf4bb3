/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the plugin's records to perf records. The kernel becomes a process, its ELF file the
 * program, and each of its stacks a thread, so perf finds all names without options. Called by
 * outside/pitot/record.c.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/event.h"
#include "outside/wire.h"

/* Path of the output. */
const char *recording_output(const struct pitot_options *options);

int recording_create(const struct pitot_options *options, const struct kernel *kernel,
                     const struct events *events, struct refusal *why);

/* Takes the kernel's run-time address minus its link address. */
void recording_slide(uint64_t slide);

int recording_thread(const struct wire_thread *thread, struct refusal *why);

/* Keeps the registers for the next sample. */
void recording_registers(const struct wire_registers *registers);

/* Keeps an event's fields, so many bytes, for the next sample. */
#define RECORDING_FIELDS 40
void recording_fields(const void *fields);

/* Refuses an unknown event or context. */
int recording_sample(const struct wire_sample *sample, struct refusal *why);

/* Describes the fields of events, as trace-cmd's trace.dat does. */
void recording_formats(const void *bytes, size_t size);

/* Called after each batch of records. The first samples replace an older file. */
int recording_taken(struct refusal *why);

/*
 * Writes perf's header, with the machine's CPUs and the command, and closes the file. Without
 * samples it stays only if it is `whole`.
 */
int recording_close(uint32_t cpus, int argc, char *const *argv, bool whole, struct refusal *why);

/*
 * After recording_close: the number of samples in the file, and of chains cut to fit a record; if
 * there is a new file; and that of its symbols, or NULL.
 */
uint64_t recording_samples(void);
uint64_t recording_cut(void);
bool recording_kept(void);
const char *recording_names(void);

/* --- With --overwrite, the latest samples, which replace the oldest: sample_ring.c --- */

/* Creates a ring of `room` bytes, a multiple of 8. False: no memory. */
bool sample_ring_create(uint64_t room);

void sample_ring_add(const struct perf_event_header *record);

/* Removes the oldest record, and copies it to `record`; false: the ring is empty. */
bool sample_ring_take(void *record);

/* Returns the number of records that were overwritten, or too large for the ring. */
uint64_t sample_ring_lost(void);

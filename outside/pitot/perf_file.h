/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A perf.data file that grows: header, attributes, records, and finally the header's features; and
 * what it says of its events and of the kernel. Called by outside/pitot/recording.c.
 *
 * Source: the perf tool's documentation, perf.data-file-format.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/abi/perf_pipe.h"
#include "core/lib/refusal.h"
#include "outside/pitot/event.h"
#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"

/*
 * Between calls the file is complete except for the features, however its writer exits. It can also
 * be a stream, as from `perf record -o -`, in which attributes and features are records.
 */

/* Bits of the header. The section headers of the features follow the records, in this order. */
enum perf_file_feature {
    PERF_FILE_TRACING_DATA = 1,
    PERF_FILE_HOSTNAME = 3,
    PERF_FILE_OSRELEASE = 4,
    PERF_FILE_VERSION = PERF_PIPE_FEATURE_VERSION,
    PERF_FILE_ARCH = PERF_PIPE_FEATURE_ARCH,
    PERF_FILE_NRCPUS = PERF_PIPE_FEATURE_NRCPUS,
    PERF_FILE_CPUDESC = PERF_PIPE_FEATURE_CPUDESC,
    PERF_FILE_CPUID = PERF_PIPE_FEATURE_CPUID,
    PERF_FILE_CMDLINE = 11,
    PERF_FILE_EVENT_DESC = 12,
    PERF_FILE_SAMPLE_TIME = 21,
    PERF_FILE_FEATURES, /* one more than the last feature */
};

/*
 * Creates the file (files.h); the path "-" is standard output, as a stream. The attributes get ids
 * from 1.
 */
int perf_file_create(const char *path, const struct perf_event_attr *attributes, unsigned count,
                     struct refusal *why);

/* Rewrites the attributes after some members have changed. In a stream, those sent stay. */
void perf_file_attributes(const struct perf_event_attr *attributes, unsigned count);

/*
 * Returns a record of `size` bytes, or a few more to make that a multiple of 8, zero but for its
 * header, for the caller to fill before the next call.
 */
void *perf_file_record(uint32_t type, uint16_t misc, size_t size);

/* Writes all pending records to the file. */
int perf_file_flush(struct refusal *why);

/* Replaces an older file at the path. */
int perf_file_keep(struct refusal *why);

/* Appends bytes to a feature. Must be called before perf_file_close. */
void perf_file_feature(enum perf_file_feature feature, const void *bytes, size_t size);

/* Appends a string to a feature: its length, then the string with its NUL, padded. */
void perf_file_string(enum perf_file_feature feature, const char *text);

/* Writes the features, and closes the file, which is gone unless it was kept. */
int perf_file_close(struct refusal *why);

/* --- Events: attributes, names, and what the header says of them: perf_events.c --- */

/* Returns what samples consist of, the bits of PERF_SAMPLE_; `events` stays in use. */
uint64_t perf_events_describe(const struct events *events, const struct pitot_options *options);

/* Creates the recording's file, which begins with them. */
int perf_events_create(const char *path, struct refusal *why);

/* The kernel's addresses are so much higher. */
void perf_events_slide(uint64_t by);

/* Adds the header's feature. */
void perf_events_close(void);

/* --- The kernel as the program of a recording, and where it is mapped: perf_program.c --- */

/*
 * Sets the program to the kernel's file, or to its substitute, which it writes beside the recording
 * at the path.
 */
int perf_program_create(const char *path, const struct kernel *kernel, struct refusal *why);

/* Writes the maps of a process. */
void perf_program_map(uint32_t pid);

/* Takes the kernel's run-time address minus its link address. Returns how much that has grown. */
uint64_t perf_program_slide(uint64_t to);

/* The substitute replaces an older one; if it was not kept, it is gone once it is closed. */
int perf_program_keep(struct refusal *why);
void perf_program_close(void);

/* The substitute's path; NULL: there is none. */
const char *perf_program_symbols(void);

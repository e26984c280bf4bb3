/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A perf.data file that grows: header, attributes, records, and finally the header's features.
 * Between calls it is complete except for the features, however its writer exits. It can also be a
 * stream, as from `perf record -o -`, in which attributes and features are records. Called by
 * outside/pitot/recording.c.
 *
 * Source: the perf tool's documentation, perf.data-file-format.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/abi/perf_pipe.h"
#include "core/lib/refusal.h"

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
 * Creates the file (output.h); the path "-" is standard output, as a stream. The attributes get ids
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of TRACING_DATA, which describes tracepoints' fields to perf. Task context. */
#pragma once

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

/* True if a tracepoint event of the source has raw data, which needs a description. */
bool tracing_data_needed(const struct record_source *source);

/* Prepares the body and returns its size, a multiple of 8. `more`: see stream_begin_recording. */
size_t tracing_data_prepare(struct record_source *source, bool more);

/* Writes the prepared body, for the same source. */
void tracing_data_write(struct sink *sink, const struct record_source *source);

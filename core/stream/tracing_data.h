/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The body of TRACING_DATA, which describes tracepoints so that perf can show their fields. Called
 * by core/stream/head.c; task context.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

/* True if a tracepoint event of the source has raw data, which needs a description. */
bool tracing_data_needed(const struct record_source *source);

/*
 * Prepares the body and returns its size, a multiple of 8. The body names the functions in the
 * source's records or, if `more` records will come, all functions.
 */
size_t tracing_data_prepare(struct record_source *source, bool more);

/* Writes the prepared body, for the same source. */
void tracing_data_write(struct sink *sink, const struct record_source *source);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The body of the record TRACING_DATA, which describes tracepoints so that perf can show their
 * fields. Task context.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

/* True if the source has a tracepoint event with raw data, which needs a description. */
bool tracing_data_needed(const struct record_source *source);

/*
 * Prepares the body and returns its size, a multiple of 8. It names the functions found in the
 * source's records or, if `more` records will come, all functions.
 */
size_t tracing_data_prepare(struct record_source *source, bool more);

/* Writes the body that was prepared last, for the same source. */
void tracing_data_write(struct sink *sink, const struct record_source *source);

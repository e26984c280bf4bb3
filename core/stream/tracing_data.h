/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf must know about tracepoints to show their fields: the body of the record TRACING_DATA.
 * Task context.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

/* True if there is something to describe: a tracepoint whose records were asked for. */
bool tracing_data_needed(const struct record_source *source);

/*
 * Prepares what will be written, and returns its size, a multiple of 8. The functions in the
 * source's records are named; if `more` records will come, all functions are.
 */
size_t tracing_data_prepare(struct record_source *source, bool more);

/* Writes what was prepared last, for the same source. */
void tracing_data_write(struct sink *sink, const struct record_source *source);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf must know of tracepoints to show their fields: the body of the record TRACING_DATA.
 * Task context.
 */
#pragma once

#include <stdbool.h>

#include "core/perf/records.h"
#include "core/print.h"

/* True if there is something to tell: a tracepoint whose records were asked for. */
bool tracing_data_needed(const struct record_source *source);

/* Writes it, a multiple of 8 bytes, and returns how many; a sink of NULL: counts only. */
size_t tracing_data_write(struct sink *sink, struct record_source *source);

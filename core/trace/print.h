/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of a recording as the real `perf trace` prints them: a line for each, with what
 * it was given and gave back, calls that others came between in two parts; and a summary of each
 * thread's. Called by the console's `perf trace`; task context, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

struct trace_options {
    bool lines, summary;
    uint64_t calls; /* bit i: the table's i-th is wanted (core/trace/calls.h) */
};

/* How many samples of system calls there were. */
uint64_t trace_print(struct sink *sink, struct record_source *source,
                     const struct trace_options *options);

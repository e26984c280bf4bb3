/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints system calls as the real `perf trace` does: a line per call, or two if another call began
 * before it returned, and a summary per thread. Task context, one caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

struct trace_options {
    bool lines, summary;
    uint64_t calls; /* bit i: print call i of trace_calls.h */
};

/* Returns the number of system call samples. */
uint64_t trace_print(struct sink *sink, struct record_source *source,
                     const struct trace_options *options);

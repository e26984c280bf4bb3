/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of a recording as the real `perf trace` prints them: a line for each, with its
 * arguments and its result; a call during which another one began is printed in two parts; and a
 * summary for each thread. Called by the console's `perf trace`; task context, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

struct trace_options {
    bool lines, summary;
    uint64_t calls; /* bit i: the table's i-th call is printed (core/script/trace_calls.h) */
};

/* Returns how many samples of system calls there were. */
uint64_t trace_print(struct sink *sink, struct record_source *source,
                     const struct trace_options *options);

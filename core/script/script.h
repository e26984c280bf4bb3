/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf script` and `perf report -D` in the kernel. Task context; script_print_sample is also for a
 * panic: it takes no lock, does not allocate or recurse, and does not trust the record.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

struct script_options {
    bool last_boot;     /* print the recording that survived a reset, not this boot's */
    bool registers;     /* -F +iregs */
    unsigned max_stack; /* addresses printed per chain; 0: all */
    size_t max_events;  /* samples printed by script_print; 0: all */
};

/*
 * Prints one sample in the format of the real `perf script -F
 * comm,tid,cpu,time,period,event,ip,sym,symoff[,iregs]`. Returns false, and prints nothing, unless
 * the record is a complete PERF_RECORD_SAMPLE of one of these events.
 */
bool script_print_sample(struct sink *sink, const struct perf_event_header *record,
                         const struct recorded_event *events, size_t event_count,
                         const struct script_options *options);

/* Prints the samples. Returns their number, and stores in *more whether others remain. */
size_t script_print(struct sink *sink, struct record_source *source,
                    const struct script_options *options, bool *more);

/* Prints all records byte for byte, as the real `perf report -D` does. */
void record_dump_print(struct sink *sink, struct record_source *source);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf script` in the kernel: each sample as text, in the words that the real perf uses for `perf
 * script -F comm,tid,cpu,time,period,event,ip,sym,symoff[,iregs]`. Also what a panic prints of the
 * last samples, so script_print_sample takes no lock, allocates nothing and does not trust the
 * record.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/sample/records.h"

struct script_options {
    bool last_boot;     /* the recording that a reset has left, in place of this boot's */
    bool registers;     /* -F +iregs */
    unsigned max_stack; /* so many addresses of a chain; 0: all */
    size_t max_events;  /* the first so many samples; 0: all. For script_print. */
};

/*
 * One sample; false (and nothing printed) if the record is not a whole PERF_RECORD_SAMPLE of one of
 * these events.
 */
bool script_print_sample(struct sink *sink, const struct perf_event_header *record,
                         const struct recorded_event *events, size_t event_count,
                         const struct script_options *options);

/*
 * Every sample of the recording, or the first max_events. Returns how many were printed; `more`:
 * others are left.
 */
size_t script_print(struct sink *sink, struct record_source *source,
                    const struct script_options *options, bool *more);

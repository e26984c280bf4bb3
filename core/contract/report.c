/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel's own reports and panics have of Pitot (core/pitot.h): they print to the console,
 * read the rings as they are, and take no lock. Any context.
 */
#include "arch/regs.h"
#include "core/breakpoint/breakpoint.h"
#include "core/console/backtrace.h"
#include "core/contract/init.h"
#include "core/recording/recording.h"
#include "core/script/script.h"
#include "core/stream/drain.h"
#include "core/symbols/symbols.h"

#define LAST_SAMPLES 8

_Static_assert(sizeof(struct backtrace) <= sizeof(struct pitot_chain),
               "core/pitot.h has room for a chain");

const char *pitot_describe(unsigned long address, char *text, unsigned long size)
{
    return symbols_describe(address, text, size);
}

void pitot_chain_take(struct pitot_chain *chain, const void *frame)
{
    struct regs room;

    backtrace_take((struct backtrace *)chain, init_regs(frame, &room));
}

void pitot_chain_print(const struct pitot_chain *chain)
{
    backtrace_print((const struct backtrace *)chain, print_console());
}

void pitot_watches_print(void)
{
    breakpoint_print(print_console());
}

/* A half-written record has not been published. */
void pitot_samples_print(void)
{
    static const struct script_options options;
    struct record_source *source = recording_source_for_report();
    const struct perf_event_header *record;
    size_t samples = 0, at = 0;

    if (!source)
        return;
    while ((record = source->next(source)))
        samples += record->type == PERF_RECORD_SAMPLE;
    if (samples == 0)
        return;
    print("last samples, %zu of %zu:\n", samples < LAST_SAMPLES ? samples : LAST_SAMPLES, samples);
    source->rewind(source);
    while ((record = source->next(source)))
        if (record->type == PERF_RECORD_SAMPLE && at++ + LAST_SAMPLES >= samples)
            script_print_sample(print_console(), record, source->events, source->event_count,
                                &options);
}

/* The report's own hits must not overwrite what led to it. */
void pitot_panic_begin(void)
{
    recording_freeze();
    stream_block_cut();
}

void pitot_panic_end(void)
{
    drain_crash();
}

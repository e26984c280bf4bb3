/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf trace` of commands.h: records system calls, then prints them. */
#include "core/perf/commands.h"

#include "core/console/command.h"
#include "core/host.h"
#include "core/lib/print.h"
#include "core/recording/recording.h"
#include "core/script/trace_calls.h"
#include "core/stream/drain.h"

static uint64_t first_id(void)
{
    const struct record_source *source = recording_source();

    return source ? source->events[0].id : 0;
}

int perf_trace(int argc, char **argv)
{
    struct trace_options options;
    uint64_t before = first_id();
    struct interruptible records;
    int status;

    if (!host.call_count) {
        print("perf trace: calls of struct pitot_kernel is 0: the system calls are unknown\n");
        return -ENOSYS;
    }
    status = perf_record(argc, argv);
    if (first_id() == before) { /* the recording was refused */
        trace_sums_take(false, NULL);
        return status;
    }
    options = perf_record_options()->trace;
    if (!options.calls)
        options.calls = UINT64_MAX;
    if (drain_given_back())
        print("perf trace: the first %llu records are in the stream only\n",
              (unsigned long long)drain_given_back());
    if (command_take_interrupt()) /* this ^C ended the recording; the next one ends the output */
        status = -EINTR;
    records = interruptible_records(recording_source());
    if (trace_print(command_output(), &records.source, &options) == 0 && !command_interrupted())
        print("perf trace: no system calls\n");
    trace_sums_take(false, NULL);
    return command_interrupted() ? -EINTR : status;
}

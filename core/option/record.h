/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf record` and `perf stat`, as the real perf spells them:
 *
 *   -e EVENT[,EVENT...]   what to count (core/event/spec.h); may be given again. EVENT may
 *                         end in terms for it alone:
 *                         EVENT/period=N,freq=HZ,call-graph=orc|fp|no,skip=N,regs=yes|no,
 *                         raw=yes|no/, branches/window=N/, and mem:/PATH:ADDR/stop/
 *                         lock:* and *:* are an event for each tracepoint that they match, lock:
 *                         is the same as lock:*
 *   --filter EXPRESSION   which hits of the tracepoints of the -e before count
 *                         (core/tracepoint/filter.h)
 *   -R, --raw-samples     tracepoints: the record with its fields in each sample, which they have
 *                         in any case, as in perf, but for
 *   --no-raw-samples      ... and raw=no
 *   -g                    call chains          --intr-regs           registers at the hit
 *   --call-graph orc|fp   ... by the unwind table, or by frame pointers
 *   --skip N              samples are of the N-th caller: ip, sp and chain
 *   --verify-chain        each chain both ways, and how many of them agree
 *   -c N, --count N       one sample every N hits (1); cpu-clock: every N nanoseconds
 *   -F HZ, --freq HZ      so many samples a second, or the most possible: max (cpu-clock: 4000)
 *   -m SIZE, --mmap-pages SIZE   the ring of each CPU: pages, or bytes with k or m (1m)
 *   --overwrite           a full ring gives up its oldest records instead of refusing new ones
 *   -z                    the stream is compressed (docs/stream.md)
 *   --trigger EVENT       an event as by -e, whose first sample ends the recording: the rings hold
 *                         what led up to it
 *   --start EVENT         an event as by -e, a breakpoint whose hits open the window of branches
 *   -p PID, --pid PID     only hits in this thread, or this process
 *   -C CPUS, --cpu CPUS   only hits on these CPUs, of all threads: 0,2-3
 *   -a, --all-cpus        the hits of all threads, not only of the workload's
 *   -f, --force           accepted, as perf of the early days had it: nothing is in the way here
 *   -- COMMAND ...        the workload. Without -a, -C and -p only its threads' hits are meant: the
 *                         command's own thread and those that it makes, or the program from its
 *                         first instruction on and its children
 *
 * core/option/tally.h has --by and --hist, core/option/stat.h those of `perf stat` alone. Task
 * context.
 */
#pragma once

#include "core/option/stat.h"
#include "core/recording/recording.h"

struct perf_options {
    struct recording_options recording;
    struct stat_options stat; /* of `perf stat` alone */
    bool verify;              /* --verify-chain */
    bool all_threads;         /* -a, or what means it: -C, or a recording without a workload */
    int workload_count;
    char **workload; /* NULL: none */
};

/* argv[0] is "record" or "stat". 0, or -EINVAL or what event_spec_parse says, with the reason. */
int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why);

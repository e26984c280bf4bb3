/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_table.h. */
#include "core/perf/option_table.h"

#include "core/console/habits.h"
#include "core/lib/deviation.h"
#include "core/perf/chain.h"
#include "core/perf/events.h"
#include "core/perf/option_values.h"
#include "core/perf/terms.h"

enum { RECORD = 1, STAT = 2, TRACE = 4, COUNTS = RECORD | STAT, SAMPLES = RECORD | TRACE };

#define AT(member) OPTION_AT(struct perf_options, member)

static const char *const ways[] = {"fp", "no", "orc", NULL};
static const char *const rates[] = {"max", NULL};
static const char *const keys[] = {"caller", "comm", "cpu", NULL};

static const struct option rows[] = {
    OPTION({"-e", "--event"}, "EVENT", COUNTS, OPTION_EVENTS,
           "what is watched or sampled, several with commas", .again = OPTION_ADDS,
           .set = events_set),
    OPTION({"-e"}, "CALL", TRACE, OPTION_CALLS, "these system calls alone, several with commas",
           .again = OPTION_ADDS, .set = value_set_calls, AT(trace.calls)),
    OPTION({"--filter"}, "EXPR", COUNTS, OPTION_TEXT,
           "counts only hits of the preceding -e that match EXPR", .again = OPTION_ADDS,
           .set = events_set_filter),
    OPTION({"-R", "--raw-samples"}, NULL, RECORD, OPTION_FLAG,
           "samples of tracepoints include the fields (the default)", .set = terms_set_answer,
           AT(all.raw)),
    OPTION({"--no-raw-samples"}, NULL, RECORD, OPTION_FLAG, "... or leave them out",
           .set = terms_set_answer, AT(all.raw)),
    OPTION({"-g"}, NULL, RECORD, OPTION_FLAG, "call chains, made in this kernel's default way",
           .set = chain_set_default, AT(all.chain)),
    OPTION({"--call-graph"}, "orc|fp|no", RECORD, OPTION_CHOICE,
           "... by the unwind table, or by frame pointers", .choices = ways, .set = chain_set,
           AT(all.chain)),
    OPTION({"--skip"}, "N", RECORD, OPTION_NUMBER,
           "samples show the N-th caller: its ip, sp and chain", CHAIN_SKIP, AT(all.skip)),
    OPTION({"--verify-chain"}, NULL, RECORD, OPTION_FLAG,
           "makes each chain both ways, and reports how many agree", AT(verify)),
    OPTION({"-c", "--count"}, "N", RECORD, OPTION_NUMBER,
           "a sample every N hits; for cpu-clock, every N nanoseconds", .what = "period",
           .least = 1, AT(all.period), .excludes = "-F",
           .because = "every N hits, or so many samples a second"),
    OPTION({"-F", "--freq"}, "HZ", RECORD, OPTION_CHOICE,
           "HZ samples a second; max: as many as possible", .choices = rates, .set = terms_set_rate,
           AT(all.frequency)),
    OPTION({"--intr-regs"}, NULL, RECORD, OPTION_FLAG, "the registers at the hit",
           .set = terms_set_answer, AT(all.registers)),
    OPTION({"-m", "--mmap-pages"}, "SIZE", SAMPLES, OPTION_TEXT,
           "size of each CPU's ring: pages, or bytes with k, m or g (1m)",
           .set = value_set_ring_size, AT(recording.ring_size)),
    OPTION({"--overwrite"}, NULL, SAMPLES, OPTION_FLAG,
           "a full ring overwrites its oldest records, and refuses no new ones",
           AT(recording.overwrite)),
    OPTION({"-z"}, NULL, RECORD, OPTION_FLAG, "the stream is compressed", AT(recording.compress)),
    OPTION({"--trigger"}, "EVENT", RECORD, OPTION_EVENTS,
           "an event as with -e; its first sample ends the recording", .again = OPTION_ADDS,
           .set = events_set_marked),
    OPTION({"--start"}, "EVENT", COUNTS, OPTION_BREAKPOINTS,
           "a breakpoint as with -e; its hits open the window of branches", .again = OPTION_ADDS,
           .set = events_set_marked),
    OPTION({"--by"}, "KEY", COUNTS, OPTION_CHOICE,
           "counts hits of the preceding -e by comm, cpu, caller, or a field", .choices = keys,
           .set = events_set_aggregate),
    OPTION({"--hist"}, "FIELD", COUNTS, OPTION_TEXT,
           "... as a histogram of the field, by powers of two", .set = events_set_aggregate),
    OPTION({"--from"}, "EVENT", COUNTS, OPTION_EVENTS,
           "an event as with -e; its hits begin a span of time", .again = OPTION_ONCE,
           .set = events_set_span),
    OPTION({"--to"}, "EVENT", COUNTS, OPTION_EVENTS,
           "... and one whose hits end it: shows a histogram of the times", .again = OPTION_ONCE,
           .set = events_set_span),
    OPTION({"--key"}, "FIELD", COUNTS, OPTION_TEXT,
           "... in one thread, and with the same value in this field", AT(key)),
    OPTION({"-p", "--pid"}, "PID", COUNTS | TRACE, OPTION_PID,
           "only hits in this thread, or this process", .set = value_set_pid, AT(pid)),
    OPTION({"-C", "--cpu"}, "CPUS", COUNTS, OPTION_TEXT,
           "only hits on these CPUs, of all threads: 0,2-3", .set = value_set_cpus, AT(cpus)),
    OPTION({"-a", "--all-cpus"}, NULL, COUNTS, OPTION_FLAG,
           "the hits of all threads, not only of COMMAND's", AT(all_cpus), .excludes = "-p",
           .because = "the hits of all threads, or of one"),
    OPTION({"-r", "--repeat"}, "N", STAT, OPTION_NUMBER,
           "runs COMMAND N times: means, and how much they vary", .least = 1,
           .most = DEVIATION_RUNS_MAX, .unit = "runs", AT(stat.runs), .excludes = "-I",
           .because = "the means of whole runs, or the counts of each interval of one"),
    OPTION({"-I", "--interval-print"}, "MS", STAT, OPTION_NUMBER,
           "prints the counts every MS milliseconds, while COMMAND runs",
           .least = STAT_INTERVAL_MIN_MS, .unit = "milliseconds", AT(stat.interval_ms)),
    OPTION({"-s"}, NULL, TRACE, OPTION_FLAG,
           "a summary of each thread's calls instead of a line for each call",
           .set = value_set_summary, AT(trace)),
    OPTION({"-S"}, NULL, TRACE, OPTION_FLAG, "... or both", .set = value_set_summary, AT(trace)),
    {.names = {"-f", "--force"},
     .commands = RECORD,
     .help = "accepted, as in the first perf; has no effect"},
    {.names = {NULL}},
};

const struct options record_options = {
    .name = "record",
    .usage = "[OPTION]... [[--] COMMAND]",
    .summary = "samples until COMMAND ends, or until ^C; without -e, of cpu-clock",
    .row = rows,
    .instead = habit_answer_option,
    .command = RECORD,
    .workload = true,
};

const struct options stat_options = {
    .name = "stat",
    .usage = "[OPTION]... [[--] COMMAND]",
    .summary = "counts hits until COMMAND ends, or until ^C",
    .row = rows,
    .instead = habit_answer_option,
    .command = STAT,
    .others = "perf stat only counts; perf record takes samples",
    .workload = true,
};

const struct options trace_options = {
    .name = "trace",
    .usage = "[OPTION]... [--] COMMAND",
    .summary = "the system calls of a program",
    .row = rows,
    .instead = habit_answer_option,
    .command = TRACE,
    .workload = true,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_table.h; report_options.c has the tables of `perf report` and `perf script`. */
#include "core/perf/option_table.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/console/habits.h"
#include "core/lib/deviation.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/perf/options.h"
#include "core/script/trace_calls.h"

#define SIZE_MOST (1ull << 40) /* leaves room to multiply by the page size */

/* --- Setters of single values. --- */

/* Sets a uint64_t to a size in bytes, given in pages as in the real perf, or with unit k or m. */
static int set_ring_size(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t *size = at;
    bool unit;

    (void)typed;
    if (!number_parse_size(value, SIZE_MOST, size, &unit))
        return refuse(why, EINVAL, "ring size \"%s\": pages, or bytes with k, m or g are allowed",
                      value);
    if (!unit)
        *size *= PAGE_SIZE;
    return 0;
}

/* Sets a uint32_t to the number of a thread or process. */
static int set_pid(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t pid;

    (void)typed;
    if (number_parse(value, 0, &pid))
        return refuse(
            why, EINVAL,
            "pid \"%s\": the idle threads of all CPUs have this number, so it names none; "
            "-a records them, too, and --filter 'common_pid == 0' only them",
            value);
    if (!number_parse(value, INT32_MAX, &pid))
        return refuse(why, EINVAL, "pid \"%s\": give the number of a thread; `ps` lists them",
                      value);
    *(uint32_t *)at = (uint32_t)pid;
    return 0;
}

static int refuse_cpus(const char *list, struct refusal *why)
{
    unsigned cpus = arch_cpus();

    if (cpus == 1)
        return refuse(why, EINVAL, "-C \"%s\": this machine has only CPU 0", list);
    return refuse(
        why, EINVAL,
        "-C \"%s\": give CPU numbers with commas, or ranges such as 0-2; this machine has 0 to %u",
        list, cpus - 1);
}

/* Sets bits of a uint64_t for CPUs, given as 0,2-3. */
static int set_cpus(void *at, const char *typed, char *value, struct refusal *why)
{
    const char *next = value;
    uint64_t cpus = 0, most = arch_cpus() - 1;

    (void)typed;
    for (;;) {
        uint64_t first, last;

        if (number_read(&next, 10, most, &first) != NUMBER_READ)
            return refuse_cpus(value, why);
        last = first;
        if (*next == '-') {
            next++;
            if (number_read(&next, 10, most, &last) != NUMBER_READ || last < first)
                return refuse_cpus(value, why);
        }
        for (uint64_t cpu = first; cpu <= last; cpu++)
            cpus |= 1ull << cpu;
        if (*next == '\0')
            break;
        if (*next++ != ',')
            return refuse_cpus(value, why);
    }
    *(uint64_t *)at = cpus;
    return 0;
}

static int refuse_call(const char *name, size_t length, struct refusal *why)
{
    char list[400];
    struct words names = words_begin(list, sizeof(list));
    const struct pitot_call *call;

    for (unsigned i = 0; (call = trace_call_at(i)) != NULL; i++)
        words_add(&names, "%s", call->name);
    return refuse(why, EINVAL, "no system call \"%.*s\"; there are %s", (int)length, name, list);
}

/* Sets bits of a uint64_t for system calls, given as NAME[,NAME]... */
static int set_calls(void *at, const char *typed, char *value, struct refusal *why)
{
    (void)typed;
    for (const char *list = value;; list++) {
        const char *end = strchr(list, ',');
        size_t length = end ? (size_t)(end - list) : strlen(list);
        int call = trace_call_by_name(list, length);

        if (call < 0)
            return refuse_call(list, length, why);
        *(uint64_t *)at |= 1ull << call;
        if (!end)
            return 0;
        list = end;
    }
}

/* Sets a struct trace_options by -s or -S. */
static int set_summary(void *at, const char *typed, char *value, struct refusal *why)
{
    struct trace_options *options = at;

    (void)value, (void)why;
    options->summary = true;
    options->lines = strcmp(typed, "-S") == 0;
    return 0;
}

/* --- The tables. --- */

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
           .again = OPTION_ADDS, .set = set_calls, AT(trace.calls)),
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
           "size of each CPU's ring: pages, or bytes with k, m or g (1m)", .set = set_ring_size,
           AT(recording.ring_size)),
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
           "only hits in this thread, or this process", .set = set_pid, AT(pid)),
    OPTION({"-C", "--cpu"}, "CPUS", COUNTS, OPTION_TEXT,
           "only hits on these CPUs, of all threads: 0,2-3", .set = set_cpus, AT(cpus)),
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
           "a summary of each thread's calls instead of a line for each call", .set = set_summary,
           AT(trace)),
    OPTION({"-S"}, NULL, TRACE, OPTION_FLAG, "... or both", .set = set_summary, AT(trace)),
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

static const struct option none[] = {{.names = {NULL}}};
static const struct options list_options = {
    .name = "list",
    .usage = "[PATTERN]...",
    .summary = "the events, and who holds the debug registers",
    .row = none,
};

const struct options *const perf_parts[] = {
    &list_options, &record_options, &report_options, &script_options, &stat_options, &trace_options,
    NULL};
const char perf_usage[] = "list | record | report | script | stat | trace";
const char perf_summary[] =
    "record and read hits of breakpoints, tracepoints, the clock; trace system calls";

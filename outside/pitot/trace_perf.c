/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_read_recording of command.h: tracepoints of a recording as slices: of CPUs and threads
 * (trace_perf.h), and of locks, by lock_acquired and lock_release, with waits by lock_contended;
 * every other sample is a marker. The fields are Linux' (its include/trace/events), so a recording
 * of Linux is read, too. perf sorts samples by time.
 */
#include "outside/pitot/trace_perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/interned.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/show.h"
#include "outside/pitot/trace_file.h"

#define OUTPUT "trace.json"
/* The event of a line that says, in its text, how many samples were lost before it; no colon. */
#define LOST      "PERF_RECORD_LOST"
#define LOST_TEXT LOST " lost "
#define NS_IN_S   1000000000ull
#define CPUS_MOST 4096

static struct interned lock_keys;
static struct lock {
    bool held;
    int tid;
    uint64_t since;
    uint32_t name; /* of the holder */
} * locks;         /* [number] */
static size_t lock_room;

static uint64_t first, last, lost;

/* --- Lines --- */

/* Cuts the word that ends before `end`, "pid/tid", off the comm before it. False: it is none. */
static bool read_ids(char *line, char *end, struct trace_line *sample)
{
    while (end > line && end[-1] == ' ')
        *--end = '\0';
    while (end > line && end[-1] != ' ')
        end--;
    if (sscanf(end, "%d/%d", &sample->pid, &sample->tid) != 2)
        return false;
    while (end > line && end[-1] == ' ')
        *--end = '\0';
    sample->comm = line + strspn(line, " ");
    return true;
}

/*
 * Cuts "comm pid/tid [cpu] seconds.nanoseconds: event: text", whose comm may have blanks, into its
 * parts. False: it is none.
 */
static bool split_line(char *line, struct trace_line *sample)
{
    for (char *at = strchr(line, '['); at; at = strchr(at + 1, '[')) {
        uint64_t seconds, ns;
        int used = 0;
        char *end;

        if (sscanf(at, "[%" SCNu64 "] %" SCNu64 ".%9" SCNu64 ": %n", &sample->cpu, &seconds, &ns,
                   &used) != 3 ||
            !used)
            continue;
        if (sample->cpu >= CPUS_MOST || !read_ids(line, at, sample))
            return false;
        sample->time = seconds * NS_IN_S + ns;
        sample->event = at + used;
        end = strncmp(sample->event, LOST_TEXT, strlen(LOST_TEXT)) == 0
                  ? sample->event + strlen(LOST)
                  : strstr(sample->event, ": ");
        if (!end)
            end = strstr(sample->event, ":\n");
        if (!end)
            return false;
        *end = '\0';
        sample->text = end + 1 + strspn(end + 1, " ");
        sample->text[strcspn(sample->text, "\n")] = '\0';
        return true;
    }
    return false;
}

int64_t trace_line_field(const char *text, const char *name, int64_t otherwise)
{
    const char *at = strstr(text, name);

    return at ? strtoll(at + strlen(name), NULL, 10) : otherwise;
}

/* --- Samples --- */

/* A thread's wait for a lock begins, by a lock_contended, or ends. */
static int take_wait(const struct trace_line *sample, bool ends, struct refusal *why)
{
    char name[64];

    snprintf(name, sizeof(name), "waits for %.50s", sample->text);
    return ends ? trace_threads_exit(sample, TRACE_WAIT, name, why)
                : trace_threads_enter(sample, TRACE_WAIT, name, why);
}

/* Locks that several threads may hold at a time are left out: their slices would cross. */
static int take_lock(const struct trace_line *sample, bool acquired, struct refusal *why)
{
    uint32_t number = interned_number(&lock_keys, sample->text, strlen(sample->text));
    struct trace_event slice = {.kind = TRACE_HOLD, .ended = sample->time, .process = TRACE_LOCKS};
    struct lock *lock;
    int error = acquired ? take_wait(sample, true, why) : 0;
    bool ends;

    if (error)
        return error;
    if (array_grow(&locks, &lock_room, number + 1, sizeof(*locks), "locks", why) != 0)
        return -ENOMEM;
    lock = &locks[number];
    ends = !acquired && lock->held && lock->tid == sample->tid;
    slice.thread = TRACE_LOCKS + number;
    slice.began = lock->since;
    slice.name = lock->name;
    if (acquired && !lock->held)
        *lock = (struct lock){true, sample->tid, sample->time,
                              trace_cpus_thread(sample->comm, strlen(sample->comm), sample->tid)};
    if (!ends)
        return 0;
    lock->held = false;
    trace_file_name(slice.process, slice.thread, sample->text);
    return trace_file_add(&slice, why);
}

static int take_marker(const struct trace_line *sample, struct refusal *why)
{
    struct trace_event marker = {.kind = TRACE_MARK,
                                 .began = sample->time,
                                 .ended = sample->time,
                                 .depth = UINT16_MAX,
                                 .name = trace_file_text(sample->event),
                                 .text = trace_file_text(sample->text)};

    trace_threads_place(&marker, sample);
    return trace_file_add(&marker, why);
}

/* "irq=0 name=timer ..." is "irq 0 timer", "vec=1 [action=TIMER]" softirq 1. */
static int take_irq(const struct trace_line *sample, char *name, struct refusal *why)
{
    char text[64], *end;
    const char *handler = strstr(sample->text, " name=");

    if (strstr(name, "_exit"))
        return trace_threads_exit(sample, TRACE_INTERRUPT, NULL, why);
    end = strstr(name, "_entry");
    if (!end || end - name > 40)
        return take_marker(sample, why);
    if (handler)
        snprintf(text, sizeof(text), "irq %d %.*s", (int)trace_line_field(sample->text, "irq=", 0),
                 (int)strcspn(handler + 6, " "), handler + 6);
    else
        snprintf(text, sizeof(text), "%.*s %d", (int)(end - name), name,
                 (int)trace_line_field(sample->text, "=", 0));
    return trace_threads_enter(sample, TRACE_INTERRUPT, text, why);
}

static int take_sample(const struct trace_line *sample, struct refusal *why)
{
    static const char irq[] = "irq:";
    char name[64];
    int error = trace_threads_see(sample, why);

    if (error)
        return error;
    if (!first)
        first = sample->time;
    last = sample->time;
    if (strcmp(sample->event, LOST) == 0)
        lost += (uint64_t)trace_line_field(sample->text, "lost ", 0);
    if (strcmp(sample->event, "sched:sched_switch") == 0)
        return trace_cpus_switch(sample, first, why);
    if (strncmp(sample->event, irq, strlen(irq)) == 0)
        return take_irq(sample, sample->event + strlen(irq), why);
    if (strcmp(sample->event, "raw_syscalls:sys_exit") == 0)
        return trace_threads_exit(sample, TRACE_SYSCALL, NULL, why);
    snprintf(name, sizeof(name), "system call %d", (int)trace_line_field(sample->text, "NR ", -1));
    if (strcmp(sample->event, "raw_syscalls:sys_enter") == 0)
        return trace_threads_enter(sample, TRACE_SYSCALL, name, why);
    if (strcmp(sample->event, "lock:lock_acquired") == 0)
        return take_lock(sample, true, why);
    if (strcmp(sample->event, "lock:lock_release") == 0)
        return take_lock(sample, false, why);
    if (strcmp(sample->event, "lock:lock_acquire") == 0)
        return 0; /* lock_contended tells who waits */
    if (strcmp(sample->event, "lock:lock_contended") == 0)
        error = take_wait(sample, false, why);
    if (strcmp(sample->event, "sched:sched_wakeup") == 0)
        error = trace_cpus_wakeup(sample, why);
    return error ? error : take_marker(sample, why);
}

static int read_line(char *line, void *to, struct refusal *why)
{
    struct trace_line sample;
    char copy[61];

    (void)to;
    if (strspn(line, " \t\n") == strlen(line))
        return 0;
    snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
    if (!split_line(line, &sample))
        return refuse(why, EINVAL, "unexpected line of perf script, not a sample: %s", copy);
    return take_sample(&sample, why);
}

/* --- The file --- */

static int end_all(struct refusal *why)
{
    int error = trace_cpus_end(last, why);

    if (!error)
        error = trace_threads_end(why);
    trace_file_name(TRACE_CPUS, 0, "CPUs");
    trace_file_name(TRACE_LOCKS, 0, "locks");
    if (!error && trace_file_slices() == 0)
        error = refuse(why, EINVAL,
                       "no tracepoint in it tells who ran when; record sched:*, irq:*, "
                       "raw_syscalls:* or lock:*, with -a");
    return error;
}

int trace_read_recording(const struct pitot_options *options, struct refusal *why)
{
    const char *path = options->output ? options->output : OUTPUT;
    const struct trace_about about = {.clock = "the recorded kernel's, one for all CPUs",
                                      .unit = "1 ns",
                                      .kernel = "",
                                      .command = options->input};
    struct perf_script script = {.file = options->input,
                                 .quiet = true,
                                 .lost = true,
                                 .fields = "comm,pid,tid,cpu,time,event,trace"};
    struct show_input input = {0};
    int error = show_input_check(options->input, &input, why), closing;

    script.streams = input.streams;
    if (!error && show_input_is(options->input, path))
        error = refuse(why, EINVAL, "-o %s: is the recording; give another file", path);
    if (!error)
        error = trace_file_begin(path, 0, why);
    if (error)
        return error;
    error = perf_script_lines(&script, read_line, NULL, why);
    if (!error)
        error = end_all(why);
    closing = trace_file_end(error ? NULL : &about, error ? NULL : why);
    if (!error && lost > 0)
        plain_tell("pitot: the recording lacks %llu lost sample%s; slices before its "
                   "markers " LOST " may be wrong",
                   (unsigned long long)lost, lost == 1 ? "" : "s");
    if (!error && !closing)
        plain_tell("[ pitot trace: %llu event%s in %s ]", (unsigned long long)trace_file_events(),
                   trace_file_events() == 1 ? "" : "s", path);
    return error ? error : closing;
}

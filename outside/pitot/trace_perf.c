/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_read_recording of command.h: tracepoints of a recording as slices. sched_switch makes those
 * of the CPUs, the entries and exits of interrupts and system calls those of threads, lock_acquired
 * and lock_release those of locks; every other sample is a marker. The fields are Linux' (its
 * include/trace/events), so a recording of Linux is read, too. perf sorts samples by time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/interned.h"
#include "outside/pitot/perf_script.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/show_input.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/trace_line.h"

#define OUTPUT    "trace.json"
#define OPEN_MOST 16 /* interrupts and system calls of a thread, within each other */

struct open {
    uint64_t began;
    uint32_t name, text;
    uint8_t kind; /* enum trace_kind */
};

static struct cpu {
    bool seen, runs; /* runs: which thread is known */
    int pid;         /* the thread; 0: idle */
    uint32_t name;
    uint64_t since;
    bool before; /* it ran before the first sample */
} * cpus;
static size_t cpu_room;

static struct interned thread_keys;
static struct thread {
    struct open open[OPEN_MOST];
    unsigned depth;
    uint64_t woken;          /* the number of the arrow to its next run; 0: none */
    uint64_t last;           /* time of its last sample */
    uint32_t process, track; /* where its slices are */
} * threads;                 /* [number] */
static size_t thread_room;

static struct interned lock_keys;
static struct lock {
    bool held;
    int tid;
    uint64_t since;
    uint32_t name; /* of the holder */
} * locks;         /* [number] */
static size_t lock_room;

static uint64_t slices, first, last, arrows, lost;

/* --- Tracks --- */

static int add(const struct trace_event *event, struct refusal *why)
{
    slices += event->kind < TRACE_ACCESS;
    return trace_file_add(event, why);
}

static struct cpu *cpu_of(const struct trace_line *sample, struct refusal *why)
{
    char name[32];

    if (array_grow(&cpus, &cpu_room, sample->cpu + 1, sizeof(*cpus), "CPUs", why) != 0)
        return NULL;
    snprintf(name, sizeof(name), "CPU %" PRIu64, sample->cpu);
    if (!cpus[sample->cpu].seen)
        trace_file_name(TRACE_CPUS, TRACE_CPUS + (uint32_t)sample->cpu, name);
    cpus[sample->cpu].seen = true;
    return &cpus[sample->cpu];
}

/* Idle threads all have tid 0: each is its CPU's. */
static struct thread *thread_of(int tid, uint64_t cpu, struct refusal *why)
{
    int64_t key = tid > 0 ? tid : -1 - (int64_t)cpu;
    uint32_t number = interned_number(&thread_keys, &key, sizeof(key));

    if (array_grow(&threads, &thread_room, number + 1, sizeof(*threads), "threads", why) != 0)
        return NULL;
    return &threads[number];
}

/* Puts the event on its thread's track; on its CPU's, if that has none of its own. */
static void place(struct trace_event *event, const struct trace_line *sample)
{
    char name[64];

    if (sample->tid <= 0) {
        trace_file_put_on_cpu(event, (uint32_t)sample->cpu);
        return;
    }
    event->process = (uint32_t)sample->pid;
    event->thread = (uint32_t)sample->tid;
    snprintf(name, sizeof(name), "%.40s", sample->comm);
    trace_file_name(event->process, event->thread, name);
    if (sample->pid == sample->tid || !trace_file_has_name(event->process, 0))
        trace_file_name(event->process, 0, name);
}

/* --- Slices --- */

/* The CPU has run its thread until now; idle threads leave a gap. */
static int end_run(struct cpu *cpu, uint32_t number, uint64_t now, bool cut, struct refusal *why)
{
    struct trace_event run = {.kind = TRACE_RUN,
                              .began = cpu->since,
                              .ended = now,
                              .name = cpu->name,
                              .before = cpu->before,
                              .cut = cut};

    trace_file_put_on_cpu(&run, number);
    return cpu->runs && cpu->pid > 0 && now > cpu->since ? add(&run, why) : 0;
}

static uint32_t name_of(const char *comm, size_t length, int tid)
{
    char name[64];

    snprintf(name, sizeof(name), "%.*s %d", (int)(length < 40 ? length : 40), comm, tid);
    return trace_file_text(name);
}

/* An end of an arrow, in the innermost slice of the CPU. */
static struct trace_event arrow_of(const struct trace_line *sample, enum trace_kind kind)
{
    struct trace_event arrow = {
        .kind = kind, .began = sample->time, .ended = sample->time, .depth = UINT16_MAX};

    trace_file_put_on_cpu(&arrow, (uint32_t)sample->cpu);
    return arrow;
}

/* The thread that was woken runs: the arrow ends in its slice. */
static int end_arrow(const struct trace_line *sample, int tid, struct refusal *why)
{
    struct thread *thread = thread_of(tid, sample->cpu, why);
    struct trace_event arrow = arrow_of(sample, TRACE_WOKEN);

    if (!thread)
        return -ENOMEM;
    arrow.values[0] = thread->woken;
    thread->woken = 0;
    return arrow.values[0] ? add(&arrow, why) : 0;
}

static int take_switch(const struct trace_line *sample, struct refusal *why)
{
    struct cpu *cpu = cpu_of(sample, why);
    const char *comm = strstr(sample->text, "next_comm="), *pid = strstr(sample->text, "next_pid=");
    int error;

    if (!cpu)
        return -ENOMEM;
    if (!comm || !pid || pid < comm)
        return refuse(why, EINVAL, "perf script wrote a sched_switch without next_comm: %.60s",
                      sample->text);
    if (!cpu->runs) {
        *cpu = (struct cpu){.seen = true,
                            .runs = true,
                            .pid = (int)trace_line_field(sample->text, "prev_pid=", 0),
                            .since = first,
                            .before = true};
        cpu->name = name_of(sample->comm, strlen(sample->comm), cpu->pid);
    }
    error = end_run(cpu, (uint32_t)sample->cpu, sample->time, false, why);
    comm += strlen("next_comm=");
    *cpu = (struct cpu){.seen = true,
                        .runs = true,
                        .pid = (int)trace_line_field(pid, "next_pid=", 0),
                        .since = sample->time};
    cpu->name = name_of(comm, (size_t)(pid - comm) - 1, cpu->pid);
    return error || cpu->pid <= 0 ? error : end_arrow(sample, cpu->pid, why);
}

/* The arrow begins in the slice of who wakes; only the last one before a run is drawn. */
static int take_wakeup(const struct trace_line *sample, struct refusal *why)
{
    struct thread *thread =
        thread_of((int)trace_line_field(sample->text, " pid=", 0), sample->cpu, why);
    struct trace_event arrow = arrow_of(sample, TRACE_WAKES);
    const struct cpu *cpu = cpu_of(sample, why);

    if (!thread || !cpu)
        return -ENOMEM;
    if (!cpu->runs || cpu->pid <= 0 || thread->woken)
        return 0;
    arrow.values[0] = thread->woken = ++arrows;
    return add(&arrow, why);
}

/* The innermost of what is open ends; `cut`: not by an end of its own. Fills in *slice. */
static int end_open(struct thread *thread, uint64_t now, bool cut, struct trace_event *slice,
                    struct refusal *why)
{
    const struct open *open = &thread->open[--thread->depth];

    *slice = (struct trace_event){.kind = open->kind,
                                  .began = open->began,
                                  .ended = now,
                                  .name = open->name,
                                  .text = open->text,
                                  .depth = (uint16_t)(thread->depth + 1),
                                  .process = thread->process,
                                  .thread = thread->track,
                                  .cut = cut};
    slice->values[0] = UINT64_MAX;
    return add(slice, why);
}

/* The innermost of this kind ends, and what began within it and has no end of its own. */
static int take_end(const struct trace_line *sample, enum trace_kind kind, bool cut,
                    struct refusal *why)
{
    struct thread *thread = thread_of(sample->tid, sample->cpu, why);
    const struct cpu *cpu = cpu_of(sample, why);
    bool ends = false;
    int error = 0;

    if (!thread || !cpu)
        return -ENOMEM;
    for (unsigned i = 0; i < thread->depth; i++)
        ends |= thread->open[i].kind == kind;
    while (ends && !error) {
        struct trace_event slice;

        ends = thread->open[thread->depth - 1].kind != kind;
        error = end_open(thread, sample->time, cut || ends, &slice, why);
        if (!error && sample->tid > 0 && cpu->runs && cpu->since <= slice.began) {
            trace_file_put_on_cpu(&slice, (uint32_t)sample->cpu);
            error = add(&slice, why);
        }
    }
    return error;
}

/* Something of this thread begins. A system call has none within it: the end of that was lost. */
static int take_entry(const struct trace_line *sample, enum trace_kind kind, const char *name,
                      struct refusal *why)
{
    struct thread *thread = thread_of(sample->tid, sample->cpu, why);
    int error = thread ? 0 : -ENOMEM;

    if (!error && kind == TRACE_SYSCALL)
        error = take_end(sample, kind, true, why);
    if (!error && thread->depth < OPEN_MOST)
        thread->open[thread->depth++] = (struct open){.began = sample->time,
                                                      .name = trace_file_text(name),
                                                      .text = trace_file_text(sample->text),
                                                      .kind = (uint8_t)kind};
    return error;
}

/* Locks that several threads may hold at a time are left out: their slices would cross. */
static int take_lock(const struct trace_line *sample, bool acquired, struct refusal *why)
{
    uint32_t number = interned_number(&lock_keys, sample->text, strlen(sample->text));
    struct trace_event slice = {.kind = TRACE_RUN, .ended = sample->time, .process = TRACE_LOCKS};
    struct lock *lock;
    bool ends;

    if (array_grow(&locks, &lock_room, number + 1, sizeof(*locks), "locks", why) != 0)
        return -ENOMEM;
    lock = &locks[number];
    ends = !acquired && lock->held && lock->tid == sample->tid;
    slice.thread = TRACE_LOCKS + number;
    slice.began = lock->since;
    slice.name = lock->name;
    if (acquired && !lock->held)
        *lock = (struct lock){true, sample->tid, sample->time,
                              name_of(sample->comm, strlen(sample->comm), sample->tid)};
    if (!ends)
        return 0;
    lock->held = false;
    trace_file_name(slice.process, slice.thread, sample->text);
    return add(&slice, why);
}

static int take_marker(const struct trace_line *sample, struct refusal *why)
{
    struct trace_event marker = {.kind = TRACE_MARK,
                                 .began = sample->time,
                                 .ended = sample->time,
                                 .depth = UINT16_MAX,
                                 .name = trace_file_text(sample->event),
                                 .text = trace_file_text(sample->text)};

    place(&marker, sample);
    return trace_file_add(&marker, why);
}

/* "irq=0 name=timer ..." is "irq 0 timer", "vec=1 [action=TIMER]" softirq 1. */
static int take_irq(const struct trace_line *sample, char *name, struct refusal *why)
{
    char text[64], *end;
    const char *handler = strstr(sample->text, " name=");

    if (strstr(name, "_exit"))
        return take_end(sample, TRACE_INTERRUPT, false, why);
    end = strstr(name, "_entry");
    if (!end || end - name > 40)
        return take_marker(sample, why);
    if (handler)
        snprintf(text, sizeof(text), "irq %d %.*s", (int)trace_line_field(sample->text, "irq=", 0),
                 (int)strcspn(handler + 6, " "), handler + 6);
    else
        snprintf(text, sizeof(text), "%.*s %d", (int)(end - name), name,
                 (int)trace_line_field(sample->text, "=", 0));
    return take_entry(sample, TRACE_INTERRUPT, text, why);
}

/* Notes where the thread's slices are, and until when it is known to have run. */
static int take_thread(const struct trace_line *sample, struct refusal *why)
{
    struct thread *thread = thread_of(sample->tid, sample->cpu, why);
    struct trace_event event;

    if (!thread)
        return -ENOMEM;
    place(&event, sample);
    thread->process = event.process;
    thread->track = event.thread;
    thread->last = sample->time;
    return 0;
}

static int take_sample(const struct trace_line *sample, struct refusal *why)
{
    static const char irq[] = "irq:";
    char name[64];
    int error = take_thread(sample, why);

    if (error)
        return error;
    if (!first)
        first = sample->time;
    last = sample->time;
    if (strcmp(sample->event, TRACE_LINE_LOST) == 0)
        lost += (uint64_t)trace_line_field(sample->text, "lost ", 0);
    if (strcmp(sample->event, "sched:sched_switch") == 0)
        return take_switch(sample, why);
    if (strncmp(sample->event, irq, strlen(irq)) == 0)
        return take_irq(sample, sample->event + strlen(irq), why);
    if (strcmp(sample->event, "raw_syscalls:sys_exit") == 0)
        return take_end(sample, TRACE_SYSCALL, false, why);
    snprintf(name, sizeof(name), "system call %d", (int)trace_line_field(sample->text, "NR ", -1));
    if (strcmp(sample->event, "raw_syscalls:sys_enter") == 0)
        return take_entry(sample, TRACE_SYSCALL, name, why);
    if (strcmp(sample->event, "lock:lock_acquired") == 0)
        return take_lock(sample, true, why);
    if (strcmp(sample->event, "lock:lock_release") == 0)
        return take_lock(sample, false, why);
    if (strcmp(sample->event, "lock:lock_acquire") == 0)
        return 0; /* lock_contended tells who waits */
    if (strcmp(sample->event, "sched:sched_wakeup") == 0)
        error = take_wakeup(sample, why);
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
    if (!trace_line_read(line, &sample))
        return refuse(why, EINVAL, "perf script wrote a line that is no sample: %s", copy);
    return take_sample(&sample, why);
}

/* --- The file --- */

static int end_all(struct refusal *why)
{
    int error = 0;

    for (uint32_t i = 0; i < cpu_room && !error; i++)
        error = end_run(&cpus[i], i, last, true, why);
    for (uint32_t i = 0; i < thread_room; i++)
        while (threads[i].depth > 0 && !error) {
            struct trace_event slice;

            error = end_open(&threads[i], threads[i].last, true, &slice, why);
        }
    trace_file_name(TRACE_CPUS, 0, "CPUs");
    trace_file_name(TRACE_LOCKS, 0, "locks");
    if (!error && slices == 0)
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
                   "markers " TRACE_LINE_LOST " may be wrong",
                   (unsigned long long)lost, lost == 1 ? "" : "s");
    if (!error && !closing)
        plain_tell("[ pitot trace: %llu event%s in %s ]", (unsigned long long)trace_file_events(),
                   trace_file_events() == 1 ? "" : "s", path);
    return error ? error : closing;
}

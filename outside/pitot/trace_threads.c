/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_perf.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/interned.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/trace_perf.h"

#define OPEN_MOST 16 /* interrupts and system calls of a thread, within each other */

static struct cpu {
    bool seen, runs; /* runs: which thread is known */
    int pid;         /* the thread; 0: idle */
    uint32_t name;
    uint64_t since;
    bool before; /* it ran before the first sample */
} * cpus;
static size_t cpu_room;

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

/* Names the sample's CPU, which may have no other samples. */
static int see_cpu(const struct trace_line *sample, struct refusal *why)
{
    return cpu_of(sample, why) ? 0 : -ENOMEM;
}

/* True if the CPU is known to have run its thread from `since` on. */
static bool runs_since(uint64_t cpu, uint64_t since)
{
    return cpu < cpu_room && cpus[cpu].runs && cpus[cpu].since <= since;
}

struct open {
    uint64_t began;
    uint32_t name, text;
    uint8_t kind; /* enum trace_kind */
};

static struct interned keys;
static struct thread {
    struct open open[OPEN_MOST];
    unsigned depth;
    uint64_t woken;
    uint64_t last;           /* time of its last sample */
    uint32_t process, track; /* where its slices are */
} * threads;                 /* [number] */
static size_t thread_room;

/* Idle threads all have tid 0: each is its CPU's. */
static struct thread *thread_of(int tid, uint64_t cpu, struct refusal *why)
{
    int64_t key = tid > 0 ? tid : -1 - (int64_t)cpu;
    uint32_t number = interned_number(&keys, &key, sizeof(key));

    if (array_grow(&threads, &thread_room, number + 1, sizeof(*threads), "threads", why) != 0)
        return NULL;
    return &threads[number];
}

void trace_threads_place(struct trace_event *event, const struct trace_line *sample)
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

int trace_threads_see(const struct trace_line *sample, struct refusal *why)
{
    struct thread *thread = thread_of(sample->tid, sample->cpu, why);
    struct trace_event event;

    if (!thread)
        return -ENOMEM;
    trace_threads_place(&event, sample);
    thread->process = event.process;
    thread->track = event.thread;
    thread->last = sample->time;
    return 0;
}

/* --- Threads: slices --- */

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
    return trace_file_add(slice, why);
}

static bool is_of(const struct open *open, enum trace_kind kind, const char *name)
{
    return open->kind == kind && (!name || open->name == trace_file_text(name));
}

static int take_end(const struct trace_line *sample, enum trace_kind kind, const char *name,
                    bool cut, struct refusal *why)
{
    struct thread *thread = thread_of(sample->tid, sample->cpu, why);
    bool ends = false;
    int error = thread ? see_cpu(sample, why) : -ENOMEM;

    if (error)
        return error;
    for (unsigned i = 0; i < thread->depth; i++)
        ends |= is_of(&thread->open[i], kind, name);
    while (ends && !error) {
        struct trace_event slice;

        ends = !is_of(&thread->open[thread->depth - 1], kind, name);
        error = end_open(thread, sample->time, cut || ends, &slice, why);
        if (!error && sample->tid > 0 && runs_since(sample->cpu, slice.began)) {
            trace_file_put_on_cpu(&slice, (uint32_t)sample->cpu);
            error = trace_file_add(&slice, why);
        }
    }
    return error;
}

int trace_threads_exit(const struct trace_line *sample, enum trace_kind kind, const char *name,
                       struct refusal *why)
{
    return take_end(sample, kind, name, false, why);
}

int trace_threads_enter(const struct trace_line *sample, enum trace_kind kind, const char *name,
                        struct refusal *why)
{
    struct thread *thread = thread_of(sample->tid, sample->cpu, why);
    int error = thread ? 0 : -ENOMEM;

    if (!error && kind == TRACE_SYSCALL)
        error = take_end(sample, kind, NULL, true, why);
    if (!error && kind == TRACE_WAIT && thread->depth > 0 &&
        thread->open[thread->depth - 1].kind == kind)
        thread->depth--;
    if (!error && thread->depth < OPEN_MOST)
        thread->open[thread->depth++] =
            (struct open){.began = sample->time,
                          .name = trace_file_text(name),
                          .text = kind == TRACE_WAIT ? 0 : trace_file_text(sample->text),
                          .kind = (uint8_t)kind};
    return error;
}

int trace_threads_end(struct refusal *why)
{
    int error = 0;

    for (uint32_t i = 0; i < thread_room; i++)
        while (threads[i].depth > 0 && !error) {
            struct trace_event slice;

            error = end_open(&threads[i], threads[i].last, true, &slice, why);
        }
    return error;
}

/* --- CPUs: runs --- */

uint32_t trace_cpus_thread(const char *comm, size_t length, int tid)
{
    char name[64];

    snprintf(name, sizeof(name), "%.*s %d", (int)(length < 40 ? length : 40), comm, tid);
    return trace_file_text(name);
}

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
    return cpu->runs && cpu->pid > 0 && now > cpu->since ? trace_file_add(&run, why) : 0;
}

int trace_cpus_end(uint64_t last, struct refusal *why)
{
    int error = 0;

    for (uint32_t i = 0; i < cpu_room && !error; i++)
        error = end_run(&cpus[i], i, last, true, why);
    return error;
}

/* --- Arrows --- */

static uint64_t arrows;

/* The number of the arrow to the thread's next run, to be set; 0: none. NULL: no memory. */
static uint64_t *woken_of(int tid, uint64_t cpu, struct refusal *why)
{
    struct thread *thread = thread_of(tid, cpu, why);

    return thread ? &thread->woken : NULL;
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
    uint64_t *woken = woken_of(tid, sample->cpu, why);
    struct trace_event arrow = arrow_of(sample, TRACE_WOKEN);

    if (!woken)
        return -ENOMEM;
    arrow.values[0] = *woken;
    *woken = 0;
    return arrow.values[0] ? trace_file_add(&arrow, why) : 0;
}

/* The arrow begins in the slice of who wakes; only the last one before a run is drawn. */
int trace_cpus_wakeup(const struct trace_line *sample, struct refusal *why)
{
    uint64_t *woken = woken_of((int)trace_line_field(sample->text, " pid=", 0), sample->cpu, why);
    struct trace_event arrow = arrow_of(sample, TRACE_WAKES);
    const struct cpu *cpu = cpu_of(sample, why);

    if (!woken || !cpu)
        return -ENOMEM;
    if (!cpu->runs || cpu->pid <= 0 || *woken)
        return 0;
    arrow.values[0] = *woken = ++arrows;
    return trace_file_add(&arrow, why);
}

int trace_cpus_switch(const struct trace_line *sample, uint64_t first, struct refusal *why)
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
        cpu->name = trace_cpus_thread(sample->comm, strlen(sample->comm), cpu->pid);
    }
    error = end_run(cpu, (uint32_t)sample->cpu, sample->time, false, why);
    comm += strlen("next_comm=");
    *cpu = (struct cpu){.seen = true,
                        .runs = true,
                        .pid = (int)trace_line_field(pid, "next_pid=", 0),
                        .since = sample->time};
    cpu->name = trace_cpus_thread(comm, (size_t)(pid - comm) - 1, cpu->pid);
    return error || cpu->pid <= 0 ? error : end_arrow(sample, cpu->pid, why);
}

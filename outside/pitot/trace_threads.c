/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_threads.h. */
#include "outside/pitot/trace_threads.h"

#include <errno.h>
#include <stdio.h>

#include "outside/pitot/array.h"
#include "outside/pitot/interned.h"
#include "outside/pitot/trace_cpus.h"

#define OPEN_MOST 16 /* interrupts and system calls of a thread, within each other */

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

uint64_t *trace_threads_woken(int tid, uint64_t cpu, struct refusal *why)
{
    struct thread *thread = thread_of(tid, cpu, why);

    return thread ? &thread->woken : NULL;
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

/* --- Slices --- */

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
    int error = thread ? trace_cpus_see(sample, why) : -ENOMEM;

    if (error)
        return error;
    for (unsigned i = 0; i < thread->depth; i++)
        ends |= is_of(&thread->open[i], kind, name);
    while (ends && !error) {
        struct trace_event slice;

        ends = !is_of(&thread->open[thread->depth - 1], kind, name);
        error = end_open(thread, sample->time, cut || ends, &slice, why);
        if (!error && sample->tid > 0 && trace_cpus_run_since(sample->cpu, slice.began)) {
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

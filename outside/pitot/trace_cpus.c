/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_cpus.h. */
#include "outside/pitot/trace_cpus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/trace_threads.h"

static struct cpu {
    bool seen, runs; /* runs: which thread is known */
    int pid;         /* the thread; 0: idle */
    uint32_t name;
    uint64_t since;
    bool before; /* it ran before the first sample */
} * cpus;
static size_t cpu_room;
static uint64_t arrows;

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

int trace_cpus_see(const struct trace_line *sample, struct refusal *why)
{
    return cpu_of(sample, why) ? 0 : -ENOMEM;
}

bool trace_cpus_run_since(uint64_t cpu, uint64_t since)
{
    return cpu < cpu_room && cpus[cpu].runs && cpus[cpu].since <= since;
}

/* --- Runs --- */

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
    uint64_t *woken = trace_threads_woken(tid, sample->cpu, why);
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
    uint64_t *woken =
        trace_threads_woken((int)trace_line_field(sample->text, " pid=", 0), sample->cpu, why);
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

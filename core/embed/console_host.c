/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host functions for console commands in another kernel: memory from a static buffer, and the
 * named threads. Task context, except for names.
 */
#include "core/embed/embed.h"
#include "core/embed/memory.h"
#include "core/host.h"
#include "core/recording/recording.h"
#include "core/recording/tasks.h"

/* Any context. */
static const char *task_name_of(unsigned cpu)
{
    return embed_thread_name((uint32_t)task_ids[cpu]);
}

static enum host_task task_find(uint32_t pid)
{
    return embed_thread_name(pid) ? HOST_TASK_OF_KERNEL : HOST_TASK_NONE;
}

static void thread_named(uint32_t pid, const char *name)
{
    recording_task_named(pid, name, false);
}

static void tasks_tell(void)
{
    size_t count;
    const struct recorded_task *tasks = embed_threads(&count);

    for (size_t i = 0; i < count; i++)
        recording_task_named(tasks[i].tid, tasks[i].comm, true);
}

static const struct host embedding = {
    .memory_take = embed_memory_take,
    .memory_give = embed_memory_give,
    .task_name = task_name_of,
    .task_find = task_find,
    .tasks_tell = tasks_tell,
};

void embed_host_set(void)
{
    host_set(&embedding);
    recording_init();
    embed_named = thread_named;
}

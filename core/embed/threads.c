/* SPDX-License-Identifier: BSD-2-Clause */
/* Another kernel's threads: which one runs on each CPU, and their names for the stream. */
#include "core/embed/embed.h"

#include "core/lib/string.h"
#include "core/pitot.h"
#include "core/task.h"

#define THREADS_MAX 64

/* Task context; a kernel with threads on several CPUs names them one at a time. */
static struct {
    struct recorded_task task[THREADS_MAX];
    char name[THREADS_MAX][TASK_NAME_SIZE];
    uint64_t ended[THREADS_MAX]; /* 0: lives; otherwise the threads that had ended by then */
    uint64_t ends;
    size_t count;
} threads;

void (*embed_named)(uint32_t pid, const char *name);

static size_t find_thread(uint32_t pid)
{
    size_t i = 0;

    while (i < threads.count && threads.task[i].pid != pid)
        i++;
    return i;
}

/* Its name is kept, for samples taken before, until another thread needs the room. */
void pitot_thread_ended(unsigned pid)
{
    size_t i = find_thread(pid);

    if (i < threads.count)
        threads.ended[i] = ++threads.ends;
}

/* Returns the place of the thread that ended first, or THREADS_MAX. */
static size_t find_room(void)
{
    size_t room = THREADS_MAX;

    if (threads.count < THREADS_MAX)
        return threads.count++;
    for (size_t i = 0; i < THREADS_MAX; i++)
        if (threads.ended[i] && (room == THREADS_MAX || threads.ended[i] < threads.ended[room]))
            room = i;
    return room;
}

const char *pitot_thread_named(unsigned pid, const char *name)
{
    size_t i = find_thread(pid), length = 0;

    if (i == threads.count)
        i = find_room();
    if (i == THREADS_MAX)
        return "no room for the name: 64 threads have one, and none has ended (pitot_thread_ended)";
    while (length < TASK_NAME_SIZE - 1 && name[length])
        length++;
    memcpy(threads.name[i], name, length);
    threads.name[i][length] = '\0';
    threads.ended[i] = 0;
    threads.task[i] = (struct recorded_task){.pid = pid, .tid = pid, .comm = threads.name[i]};
    if (embed_named)
        embed_named(pid, threads.name[i]);
    return NULL;
}

const char *embed_thread_name(uint32_t pid)
{
    size_t i = find_thread(pid);

    return i < threads.count ? threads.name[i] : NULL;
}

const char *embed_task_name(unsigned cpu)
{
    return embed_thread_name((uint32_t)task_ids[cpu]);
}

const struct recorded_task *embed_threads(size_t *count)
{
    *count = threads.count;
    return threads.task;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What console commands need and a kernel may leave to Pitot. Memory is allocated first-fit,
 * because allocations are few. Task context, one caller at a time; task names in any context.
 */
#include "core/embed/embed.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/perf/commands.h"
#include "core/recording/recording.h"
#include "core/stream/drain.h"
#include "core/task.h"

#define PAGE_SIZE 4096
#define PAGES     (EMBED_MEMORY / PAGE_SIZE) /* MEMORY of lib.mk */

static _Alignas(PAGE_SIZE) uint8_t memory[PAGES][PAGE_SIZE];
static bool taken[PAGES];

static size_t pages_of(size_t bytes)
{
    return (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
}

static void *memory_take(unsigned long bytes, const char **why)
{
    static struct refusal reason;
    size_t most = 0, pages = pages_of(bytes);

    for (size_t first = 0, end = 0; first < PAGES; first = ++end) {
        while (end < PAGES && !taken[end])
            end++;
        if (end - first > most)
            most = end - first;
        if (pages > end - first)
            continue;
        memset(&taken[first], true, pages);
        return memset(memory[first], 0, pages * PAGE_SIZE);
    }
    refuse(&reason, ENOMEM, "%zu bytes are free in one piece: MEMORY of make lib is %d",
           most * PAGE_SIZE, EMBED_MEMORY);
    *why = reason.text;
    return NULL;
}

static void memory_give(void *from, unsigned long bytes)
{
    size_t first = (size_t)((uint8_t *)from - memory[0]) / PAGE_SIZE;

    for (size_t page = first; page < first + pages_of(bytes); page++) {
        assert(page < PAGES && taken[page]);
        taken[page] = false;
    }
}

static enum pitot_task task_find(unsigned pid)
{
    return embed_thread_name(pid) ? PITOT_TASK_OF_KERNEL : PITOT_TASK_NONE;
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
        pitot_thread_lived(tasks[i].tid, tasks[i].comm);
}

static void words_tell(enum pitot_words which)
{
    size_t count;
    const struct recorded_task *tasks = embed_threads(&count);
    char pid[sizeof("4294967295")];

    for (size_t i = 0; which == PITOT_WORDS_THREADS && i < count; i++) {
        print_into(pid, sizeof(pid), "%u", tasks[i].tid);
        if (tasks[i].tid != 0)
            pitot_word(pid);
    }
}

void embed_console_give(void)
{
    if (!host.memory_take) {
        host.memory_take = memory_take;
        host.memory_give = memory_give;
    }
    if (!host.tasks_tell) {
        host.task_find = task_find;
        host.tasks_tell = tasks_tell;
    }
    if (!host.words_tell)
        host.words_tell = words_tell;
}

void embed_console_init(void)
{
    embed_named = thread_named;
    recording_init();
    if (host.thread_start && host.wait && host.wake) {
        drain_init();
        embed_tick = session_tick;
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See comms.h. */
#include "core/recording/comms.h"

#include "arch/arch.h"
#include "core/lib/print.h"
#include "core/recording/layout.h"
#include "core/sample/comm.h"
#include "kernel/fs/ramfs.h"
#include "kernel/lock/spinlock.h"
#include "kernel/sched/thread.h"

#define COMMS_MAX 1024

/* Written under `lock`; an entry is complete before the count takes it in, so it may be read in any
 * context. */
static struct stream_task tasks[COMMS_MAX];
static char names[COMMS_MAX][TASK_NAME_SIZE];
static uint64_t count;
static uint64_t lost;
static bool started; /* those that lived before have been noted */

static struct spinlock lock = {.name = "comms"};

const struct recorder_tasks recorder_tasks =
    RECORDER_TASKS(tasks, count, TASK_NAME_SIZE, FS_PATH_MAX + 1);

static char *find(uint32_t tid)
{
    uint64_t known = publish_load(&count);

    /* The number of a thread that has ended may be another's by now: the last one's name counts. */
    while (known-- > 0)
        if (tasks[known].tid == tid && tasks[known].comm == names[known])
            return names[known];
    return NULL;
}

/* Under the lock. */
static void note_task(uint32_t pid, const char *name)
{
    char *known = find(pid);

    if (!known && count == COMMS_MAX) {
        lost++;
        return;
    }
    if (known) {
        print_into(known, TASK_NAME_SIZE, "%s", name);
        return;
    }
    print_into(names[count], TASK_NAME_SIZE, "%s", name);
    tasks[count] = (struct stream_task){.pid = pid, .tid = pid, .comm = names[count]};
    if (started) {
        uint32_t maker = thread_current()->pid; /* it gives the name, too; if it is not its own */

        tasks[count].time = arch_clock_ns();
        tasks[count].parent = maker == pid ? 0 : maker;
    }
    publish_store(&count, count + 1);
}

static bool is_noted(const struct stream_task *mapping)
{
    for (uint64_t i = 0; i < count; i++)
        if (tasks[i].pid == mapping->pid && tasks[i].size && tasks[i].start == mapping->start)
            return true;
    return false;
}

/* Under the lock. */
static void add(const struct stream_task *task)
{
    if (count == COMMS_MAX) {
        lost++;
        return;
    }
    tasks[count] = *task;
    publish_store(&count, count + 1);
}

void recording_comms_add(const struct stream_task *mapping)
{
    spinlock_acquire(&lock);
    if (!is_noted(mapping)) /* it may have begun while those that were there were noted */
        add(mapping);
    spinlock_release(&lock);
}

void recording_comms_end(uint32_t pid, uint32_t parent)
{
    struct stream_task end = {.pid = pid, .tid = pid, .parent = parent};

    spinlock_acquire(&lock);
    end.time = arch_clock_ns();
    add(&end);
    spinlock_release(&lock);
}

/* The listener of kernel/sched/thread.h: a birth or a new name. */
static void note(uint32_t pid, const char *name)
{
    spinlock_acquire(&lock);
    note_task(pid, name);
    spinlock_release(&lock);
}

/* All idle threads have the number 0, so where there are several, none of their names will do. */
void recording_comms_start(void)
{
    struct thread *thread;

    spinlock_acquire(&lock);
    lost = 0;
    started = false;
    publish_store(&count, 0);
    thread_set_name_listener(note); /* before the walk: who is born meanwhile waits for the lock */
    for (unsigned i = 0; i < THREADS_MAX; i++)
        if ((thread = thread_at(i)))
            note_task(thread->pid, thread->pid == 0 && arch_cpus() > 1 ? "idle" : thread->name);
    started = true;
    spinlock_release(&lock);
}

void recording_comms_stop(void)
{
    thread_set_name_listener(NULL);
}

size_t recording_comms(const struct stream_task **all)
{
    *all = tasks;
    return count;
}

uint64_t recording_comms_lost(void)
{
    return lost;
}

const char *comm_of(uint32_t tid)
{
    const char *name = find(tid);

    return name ? name : "";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of pids for TAB completion; see complete_names.h. The console's thread only. */
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/console/complete_names.h"
#include "kernel/sched/thread.h"
#include "kernel/user/process.h"

static char pids[THREADS_MAX][sizeof("4294967295")]; /* the console's thread only */

static const char *pid_at(const struct names *names, size_t index)
{
    (void)names;
    return pids[index];
}

/* The pids of the threads that `takes` accepts, sorted as strings, like every list. */
static struct names names_pids(bool (*takes)(const struct thread *thread))
{
    struct names names = {.at = pid_at};

    for (unsigned i = 0; i < THREADS_MAX; i++) {
        const struct thread *thread = thread_at(i);
        char pid[sizeof(pids[0])];
        size_t place = names.count;

        if (!thread || !takes(thread))
            continue;
        print_into(pid, sizeof(pid), "%u", thread->pid);
        for (; place > 0 && strcmp(pids[place - 1], pid) > 0; place--)
            memcpy(pids[place], pids[place - 1], sizeof(pid));
        memcpy(pids[place], pid, sizeof(pid));
        names.count++;
    }
    return names;
}

static bool is_thread(const struct thread *thread)
{
    return thread != NULL;
}

static bool is_recordable(const struct thread *thread)
{
    return thread->pid != 0;
}

static bool is_program(const struct thread *thread)
{
    return thread->process != NULL;
}

static bool is_job(const struct thread *thread)
{
    const struct process *process = thread->process;

    return process && process->parent == PROCESS_PARENT_JOB;
}

struct names names_threads(void)
{
    return names_pids(is_thread);
}

struct names names_recordable(void)
{
    return names_pids(is_recordable);
}

struct names names_running_programs(void)
{
    return names_pids(is_program);
}

struct names names_jobs(void)
{
    return names_pids(is_job);
}

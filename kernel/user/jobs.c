/* SPDX-License-Identifier: BSD-2-Clause */
/* Background programs; `wait` and `kill`. Task context: the console's, or a worker's for ends. */
#include "kernel/user/jobs.h"

#include <linux/errno.h>
#include <linux/signal.h>

#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "kernel/console/input_wait.h"
#include "kernel/user/process.h"

#define SIGNALS 64

static uint32_t awaited; /* the console's thread only; 0: all */

int job_start(struct process *process)
{
    print("%s runs as %u\n", process->thread->name, process->pid);
    process_detach(process);
    return 0;
}

static void say_end(const struct process *process)
{
    const struct process_end end = process->end;

    if (end.signal)
        print("%s (pid %u): killed by signal %u\n", process->thread->name, process->pid,
              end.signal);
    else
        print("%s (pid %u): exit status %u\n", process->thread->name, process->pid, end.code);
}

void jobs_init(void)
{
    process_set_job_ended(say_end);
}

static bool is_awaited(const struct process *process)
{
    return process->parent == PROCESS_PARENT_JOB && (!awaited || process->pid == awaited);
}

/* A process that has ended stays visible until its end has been reported. */
static bool runs_awaited(void)
{
    const struct process *process;

    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if ((process = process_at(i)) && is_awaited(process))
            return true;
    return false;
}

static bool over_or_interrupted(void)
{
    return !runs_awaited() || command_interrupted();
}

static int wait_run(int argc, char **argv)
{
    awaited = 0;
    if (argc > 2 || (argc == 2 && (!words_number(argv[1], &awaited) || !awaited))) {
        print("wait: give the number of a program that runs in the background, or nothing\n");
        return -EINVAL;
    }
    if (awaited && !runs_awaited()) {
        print("wait: no program runs as %u in the background; `ps` lists the threads\n", awaited);
        return -ECHILD;
    }
    input_wait_until(over_or_interrupted);
    return runs_awaited() ? -EINTR : 0;
}

COMMAND(wait_command) = {
    .name = "wait",
    .usage = "[PID]",
    .summary = "waits until the background programs have ended, or the one with that number",
    .run = wait_run};

/* Signals that have names. All others except the stopping ones end a program, too. */
static const struct name {
    const char *text;
    uint32_t signal;
} names[] = {
    {"INT", SIGINT}, {"KILL", SIGKILL}, {"TERM", SIGTERM}, {"CONT", SIGCONT}, {"STOP", SIGSTOP}};

static int refuse_kill(void)
{
    print("kill: give kill [-SIGNAL] PID; the signal is a number below %d, or one of", SIGNALS);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        print(" %s", names[i].text);
    print("\n");
    return -EINVAL;
}

static bool signal_of(const char *word, uint32_t *signal)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(word, names[i].text) == 0) {
            *signal = names[i].signal;
            return true;
        }
    return words_number(word, signal);
}

static int kill_run(int argc, char **argv)
{
    uint32_t signal = SIGTERM, pid;
    int error;

    if (argc == 3 && (argv[1][0] != '-' || !signal_of(argv[1] + 1, &signal)))
        return refuse_kill();
    if (argc < 2 || argc > 3 || signal >= SIGNALS || !words_number(argv[argc - 1], &pid))
        return refuse_kill();
    error = process_kill_pid(pid, (uint8_t)signal);
    if (error)
        print("kill: no program runs as %u; `ps` lists the threads\n", pid);
    return error;
}

COMMAND(kill_command) = {.name = "kill",
                         .usage = "[-SIGNAL] PID",
                         .summary = "ends a program; -STOP stops it, -CONT continues it",
                         .run = kill_run};

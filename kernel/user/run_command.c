/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `run`, also invoked by a program's path: runs a program until it ends or ^C, or in
 * the background with `&`. Task context of the console.
 */
#include <linux/errno.h>
#include <linux/signal.h>

#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/console/input_wait.h"
#include "kernel/user/jobs.h"
#include "kernel/user/process.h"
#include "kernel/user/program_names.h"

static struct process *running; /* the console's thread only */

static bool ended_or_interrupted(void)
{
    return process_has_ended(running) || process_is_stopped(running) || command_interrupted();
}

/* Makes it a background program; kernel/user/jobs.c reports its end. */
static int leave_stopped(const char *name)
{
    uint32_t pid = running->pid;

    process_detach(running);
    print("%s is stopped as %u: kill -CONT %u continues it in the background\n", name, pid, pid);
    return 0;
}

/* Reports a signal or a nonzero exit status; both fail the command. */
static int say_end(const char *name, struct process_end end)
{
    if (end.signal)
        print("%s: killed by signal %u\n", name, end.signal);
    else if (end.code)
        print("%s: exit status %u\n", name, end.code);
    if (end.signal == SIGINT)
        return -EINTR;
    return end.signal || end.code ? -ECANCELED : 0;
}

static int run_program(const char *path, int argc, char **argv)
{
    bool beside = strcmp(argv[argc - 1], "&") == 0;
    struct refusal why;
    int error = process_spawn(path, argc - beside, argv, NULL, &running, &why);

    if (error) {
        print("run: %s\n", why.text);
        return error;
    }
    if (beside)
        return job_start(running);
    input_wait_until(ended_or_interrupted);
    if (process_is_stopped(running) && !command_interrupted())
        return leave_stopped(argv[0]);
    if (!process_has_ended(running))
        process_kill(running, SIGINT);
    return say_end(argv[0], process_wait(running));
}

static int refuse_nothing(void)
{
    size_t count = program_names_read();

    print("run: say which program; there %s", count ? "are" : "is none in /bin");
    for (size_t i = 0; i < count; i++)
        print("%s %s", i ? "," : "", program_name(i));
    print("\n");
    return -EINVAL;
}

static int run_run(int argc, char **argv)
{
    char path[FS_PATH_MAX + 1];

    if (argv[0][0] == '/')
        return run_program(argv[0], argc, argv);
    if (argc < 2 || strcmp(argv[1], "&") == 0)
        return refuse_nothing();
    print_into(path, sizeof(path), "%s%s", argv[1][0] == '/' ? "" : "/bin/", argv[1]);
    return run_program(path, argc - 1, argv + 1);
}

COMMAND(program_command) = {
    .name = "run",
    .usage = "PROGRAM [ARGUMENT]... [&]",
    .summary =
        "runs a program of /bin in user mode, with & in the background; its path alone does, too",
    .run = run_run,
};

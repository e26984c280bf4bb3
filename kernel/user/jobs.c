/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands `run` (which a program's path, typed as a command, also invokes), `wait` and `kill`.
 * They run in the console's task context; a worker reports the ends of background programs.
 */
#include <linux/errno.h>
#include <linux/signal.h>

#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/user/process.h"

#define SIGNALS 64

void job_ended(const struct process *process)
{
    const struct process_end end = process->end;

    if (end.signal)
        print("%s (pid %u): killed by signal %u\n", process->thread->name, process->pid,
              end.signal);
    else
        print("%s (pid %u): exit status %u\n", process->thread->name, process->pid, end.code);
    input_tell_message();
}

static struct process *running; /* the console's thread only */

static bool ended_or_interrupted(void)
{
    return process_has_ended(running) || process_is_stopped(running) || input_interrupted();
}

/* Makes the stopped program a background program. */
static int leave_stopped(const char *name)
{
    uint32_t pid = running->pid;

    process_detach(running);
    print("%s is stopped as %u: kill -CONT %u continues it in the background\n", name, pid, pid);
    return 0;
}

/*
 * Reports the signal that ended the program, or a nonzero exit status; both make the command fail.
 */
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
    if (beside) {
        print("%s runs as %u\n", running->thread->name, running->pid);
        process_detach(running);
        return 0;
    }
    input_wait_until(ended_or_interrupted);
    if (process_is_stopped(running) && !input_interrupted())
        return leave_stopped(argv[0]);
    if (!process_has_ended(running))
        process_kill(running, SIGINT);
    return say_end(argv[0], process_wait(running));
}

/* The programs in /bin, sorted by name. The console's thread only. */

#define DIRECTORY "/bin/"
#define NAMES_MAX 64 /* further programs are not offered, but can be run */

static struct {
    char path[sizeof(DIRECTORY) + FS_NAME_MAX];
} programs[NAMES_MAX];
static size_t program_count;

const char *program_path(size_t index)
{
    return index < program_count ? programs[index].path : NULL;
}

/* "fs-load" of "/bin/fs-load"; NULL past the end. */
static const char *program_name(size_t index)
{
    const char *path = program_path(index);

    return path ? path + strlen(DIRECTORY) : NULL;
}

static void insert(const char *name)
{
    size_t place = program_count++;

    for (; place > 0 && strcmp(program_name(place - 1), name) > 0; place--)
        programs[place] = programs[place - 1];
    memcpy(programs[place].path, DIRECTORY, strlen(DIRECTORY));
    memcpy(programs[place].path + strlen(DIRECTORY), name, strlen(name) + 1);
}

size_t program_names_read(void)
{
    struct fs_entry entry;

    program_count = 0;
    for (size_t i = 0; program_count < NAMES_MAX && fs_readdir(DIRECTORY, i, &entry) > 0; i++)
        if (entry.kind == FS_FILE)
            insert(entry.name);
    return program_count;
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

/* Names, or what has the letters of a path. A path alone is the command, too. */
static void run_words(int argc, char **argv)
{
    const char *(*at)(size_t index) = argv[1][0] == '/' ? program_path : program_name;
    size_t count = argc == 2 && argv[0][0] != '/' ? program_names_read() : 0;

    for (size_t i = 0; i < count; i++)
        pitot_word(at(i));
}

PITOT_COMMAND_WITH(
    run, "run", "PROGRAM [ARGUMENT]... [&]",
    "runs a program of /bin in user mode, with & in the background; its path alone does, too",
    run_run, 0, run_words);

static uint32_t awaited; /* pid that `wait` waits for; 0: all. Used only by the console's thread */

/* A process that has ended stays visible until its end has been reported. */
static bool runs_awaited(void)
{
    const struct process *process;

    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if ((process = process_at(i)) && process->parent == PROCESS_PARENT_JOB &&
            (!awaited || process->pid == awaited))
            return true;
    return false;
}

static bool over_or_interrupted(void)
{
    return !runs_awaited() || input_interrupted();
}

static int wait_run(int argc, char **argv)
{
    awaited = 0;
    if (argc > 2 || (argc == 2 && (!arguments_number(argv[1], &awaited) || !awaited))) {
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

static bool is_job(const struct thread *thread)
{
    return thread->process && thread->process->parent == PROCESS_PARENT_JOB;
}

static void wait_words(int argc, char **argv)
{
    (void)argv;
    if (argc == 2)
        thread_words(is_job);
}

PITOT_COMMAND_WITH(wait, "wait", "[PID]",
                   "waits until the background programs have ended, or the one with that number",
                   wait_run, 0, wait_words);

/*
 * The signals that have names. Any other signal also ends a program, unless it is a stopping one.
 */
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
    return arguments_number(word, signal);
}

static int kill_run(int argc, char **argv)
{
    uint32_t signal = SIGTERM, pid;
    int error;

    if (argc == 3 && (argv[1][0] != '-' || !signal_of(argv[1] + 1, &signal)))
        return refuse_kill();
    if (argc < 2 || argc > 3 || signal >= SIGNALS || !arguments_number(argv[argc - 1], &pid))
        return refuse_kill();
    error = process_kill_pid(pid, (uint8_t)signal);
    if (error)
        print("kill: no program runs as %u; `ps` lists the threads\n", pid);
    return error;
}

static bool is_program(const struct thread *thread)
{
    return thread->process != NULL;
}

static void kill_words(int argc, char **argv)
{
    char word[8];
    bool signal = argv[1][0] == '-';

    for (size_t i = 0; argc == 2 && signal && i < sizeof(names) / sizeof(names[0]); i++) {
        print_into(word, sizeof(word), "-%s", names[i].text);
        pitot_word(word);
    }
    if (argc == 2 + signal)
        thread_words(is_program);
}

PITOT_COMMAND_WITH(kill, "kill", "[-SIGNAL] PID",
                   "ends a program; -STOP stops it, -CONT continues it", kill_run, 0, kill_words);

/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outside/pitot/qemu.h"

#define PATIENCE  10        /* seconds for QEMU to exit */
#define SAME_WISH 2         /* seconds in which signals are one: timeout(1) sends two */
#define PIPE_SIZE (1 << 20) /* the largest pipe of an unprivileged process */

extern char **environ;

/* --- The machine --- */

int machine_prepare(struct machine *machine, struct refusal *why)
{
    int ends[2];

    if (pipe(ends) < 0)
        return refuse(why, errno, "a pipe: %s", strerror(errno));
    *machine = (struct machine){.pipe = ends[0], .out = ends[1], .signals = -1};
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    /* The default of 64 KiB works, but costs more switches between the two processes. */
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
    machine->has_terminal = tcgetattr(STDIN_FILENO, &machine->terminal) == 0;
    return 0;
}

int machine_start(struct machine *machine, char *const *command, bool mute, struct refusal *why)
{
    static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigset_t watched, before;
    pid_t self = getpid();

    sigemptyset(&watched);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        sigaddset(&watched, signals[i]);
    /* Block signals before the child exists, so that none terminates this command alone. */
    sigprocmask(SIG_BLOCK, &watched, &before);
    signal(SIGPIPE, SIG_IGN);
    machine->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    machine->pid = machine->signals < 0 ? -1 : fork();
    if (machine->pid < 0)
        return refuse(why, errno, "%s: %s", command[0], strerror(errno));
    if (machine->pid == 0) {
        /* If this command is killed, QEMU ends, too, even if that happened before this line. */
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != self)
            _exit(127);
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (mute)
            dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    close(machine->out);
    return 0;
}

void machine_stop(struct machine *machine)
{
    if (machine->ended || machine->asked)
        return;
    kill(machine->pid, SIGTERM);
    machine->asked = true;
    clock_gettime(CLOCK_MONOTONIC, &machine->asked_at);
}

static void kill_it(struct machine *machine)
{
    kill(machine->pid, SIGKILL);
    machine->killed = true;
}

/* Milliseconds since QEMU was asked to exit. */
static long long asked_for(const struct machine *machine)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - machine->asked_at.tv_sec) * 1000ll +
           (now.tv_nsec - machine->asked_at.tv_nsec) / 1000000;
}

/* Milliseconds until QEMU must be killed; -1: no deadline. */
static int time_left(const struct machine *machine)
{
    long long left = PATIENCE * 1000 - asked_for(machine);

    if (!machine->asked || machine->killed)
        return -1;
    return left < 0 ? 0 : (int)left;
}

static void take_wish(struct machine *machine)
{
    if (!machine->asked) {
        machine_stop(machine);
    } else if (!machine->ended && !machine->killed && asked_for(machine) >= SAME_WISH * 1000) {
        fprintf(stderr, "pitot: a signal came again: QEMU is killed\n");
        kill_it(machine);
    }
}

static void take_signals(struct machine *machine)
{
    struct signalfd_siginfo signal;

    while (read(machine->signals, &signal, sizeof(signal)) == sizeof(signal)) {
        if (signal.ssi_signo != SIGCHLD) {
            take_wish(machine);
        } else if (waitpid(machine->pid, &machine->status, WNOHANG) == machine->pid) {
            machine->ended = true;
            /* A child of QEMU may keep the pipe open, but writes nothing. */
            fcntl(machine->pipe, F_SETFL, O_NONBLOCK);
        }
    }
}

size_t machine_read(struct machine *machine, void *bytes, size_t room)
{
    while (machine->pipe >= 0 || !machine->ended) {
        struct pollfd waits[] = {{.fd = machine->pipe, .events = POLLIN},
                                 {.fd = machine->signals, .events = POLLIN}};

        if (!machine->ended && poll(waits, 2, time_left(machine)) == 0) {
            fprintf(stderr, "pitot: QEMU has not ended in %d seconds: it is killed\n", PATIENCE);
            kill_it(machine);
        }
        if (waits[1].revents)
            take_signals(machine);
        if (machine->pipe < 0 || (!machine->ended && !waits[0].revents))
            continue;
        ssize_t count = read(machine->pipe, bytes, room);
        if (count > 0)
            return (size_t)count;
        if (count < 0 && errno == EINTR)
            continue;
        close(machine->pipe);
        machine->pipe = -1;
    }
    return 0;
}

int machine_finish(struct machine *machine)
{
    /* In the background, tcsetattr would stop this command. */
    signal(SIGTTOU, SIG_IGN);
    if (machine->has_terminal)
        tcsetattr(STDIN_FILENO, TCSANOW, &machine->terminal);
    return WIFSIGNALED(machine->status) ? 128 + WTERMSIG(machine->status)
                                        : WEXITSTATUS(machine->status);
}

/* --- A program that answers --- */

/* Returns the end of the pipe to read from, or a negative errno. */
static int start_mute(char *const *words, int first, int last, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    posix_spawn_file_actions_init(&actions);
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    for (int descriptor = first; descriptor <= last; descriptor++)
        posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor);
    error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0)
        return ends[0];
    close(ends[0]);
    return -error;
}

/* Milliseconds until there is no more waiting. */
static int answer_left(const struct timespec *begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(ANSWER_PATIENCE * 1000 - (now.tv_sec - begin->tv_sec) * 1000 -
                 (now.tv_nsec - begin->tv_nsec) / 1000000);
}

long answer_read(char *const *words, int first, int last, char *text, size_t room, bool *late)
{
    pid_t pid;
    int answer = start_mute(words, first, last, &pid), left;
    struct pollfd wait = {.fd = answer, .events = POLLIN};
    struct timespec begin;
    size_t length = 0;
    ssize_t count = 1;

    if (answer < 0)
        return answer;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (count > 0 && length < room && (left = answer_left(&begin)) > 0 &&
           poll(&wait, 1, left) > 0)
        if ((count = read(answer, text + length, room - length)) > 0)
            length += (size_t)count;
    *late = count > 0;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(answer);
    return (long)length;
}

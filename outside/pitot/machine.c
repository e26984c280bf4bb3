/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#define _GNU_SOURCE
#include "outside/pitot/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE  10        /* seconds for QEMU to exit */
#define SAME_WISH 2         /* seconds in which signals are one: timeout(1) sends two */
#define PIPE_SIZE (1 << 20) /* the largest pipe of an unprivileged process */

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

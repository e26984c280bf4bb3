/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU as a child process: it has the terminal, and a pipe in which the plugin writes. A signal
 * that would end this command ends QEMU first. Called by outside/pitot/watch.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>

#include "core/lib/refusal.h"

struct machine {
    int out;  /* QEMU's end of the pipe, until it is started */
    int pipe; /* ours; -1 once it has ended */
    int signals;
    pid_t pid;
    bool ended;
    int status;     /* of waitpid, if it has ended */
    unsigned asked; /* how often it was asked to end */
    struct timespec killed_at;
    bool has_terminal;
    struct termios terminal; /* as it was before */
};

/* Makes the pipe. 0, or a negative errno and the reason. */
int machine_prepare(struct machine *machine, struct refusal *why);

/* `mute`: standard output is a stream, and what QEMU prints there goes to standard error. */
int machine_start(struct machine *machine, char *const *command, bool mute, struct refusal *why);

/*
 * Waits for what the plugin writes. How many bytes, or 0: QEMU has ended, and there are no more.
 */
size_t machine_read(struct machine *machine, void *bytes, size_t room);

/* Asks QEMU to end. The second time, and ten seconds after the first, it is killed. */
void machine_stop(struct machine *machine);

/* After its end. The terminal is as it was. Its status as a shell gives it. */
int machine_finish(struct machine *machine);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs QEMU as a child process with the terminal and a pipe for the plugin's output. A signal that
 * would terminate this command terminates QEMU first; if this command is killed, the operating
 * system asks QEMU to exit. Called by outside/pitot/watch.c. Also runs it only for what it answers,
 * for outside/pitot/qemu.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>

#include "core/lib/refusal.h"

struct machine {
    int out;  /* QEMU's end of the pipe, until QEMU is started */
    int pipe; /* our end; -1 after end of file */
    int signals;
    pid_t pid;
    bool ended;
    int status;         /* from waitpid, if `ended` */
    bool asked, killed; /* QEMU was asked to exit; it was killed */
    struct timespec asked_at;
    bool has_terminal;
    struct termios terminal; /* its settings before the start */
};

/* Makes the pipe. */
int machine_prepare(struct machine *machine, struct refusal *why);

/* `mute`: standard output carries a stream, so QEMU's own output goes to standard error. */
int machine_start(struct machine *machine, char *const *command, bool mute, struct refusal *why);

/*
 * Waits for the plugin's output. Returns its size, or 0 once QEMU has exited and all output was
 * read.
 */
size_t machine_read(struct machine *machine, void *bytes, size_t room);

/*
 * Asks QEMU to exit; ten seconds later, it is killed. A signal to this command asks as well, and
 * one that comes at least two seconds later kills QEMU.
 */
void machine_stop(struct machine *machine);

/* After QEMU's exit: restores the terminal, and returns the status as a shell reports it. */
int machine_finish(struct machine *machine);

#define ANSWER_PATIENCE 10 /* seconds for all of it */

/*
 * Runs a program without input, whose descriptors `first` to `last` write to `text`, up to `room`
 * bytes; then it is killed. Returns the number of bytes, or a negative errno. *late: it had not
 * ended by itself.
 */
long answer_read(char *const *words, int first, int last, char *text, size_t room, bool *late);

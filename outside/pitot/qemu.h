/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's QEMU: its command line, whether it loads plugins, its log, and its process. Called by
 * outside/pitot/main.c before anything is started or written, and by watch.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>

#include "core/lib/refusal.h"
#include "outside/request.h"

struct qemu_version {
    unsigned major, minor;
};

/* True if the word is this option, with one dash or two. */
bool qemu_is_option(const char *word, const char *name);

/* The argument of -kernel; NULL: none. */
const char *qemu_kernel(char *const *command);

/* Refuses options of QEMU with which the plugin or `pitot` cannot follow it. */
int qemu_check_arguments(char *const *command, struct refusal *why);

/* Refuses several CPUs in one thread if this version does not distinguish them for plugins. */
int qemu_check_cpus(char *const *command, const struct qemu_version *version, struct refusal *why);

/* Refuses a machine that the plugin has found to be such a one; its option was not seen. */
int qemu_refuse_one_thread(const struct qemu_version *version, struct refusal *why);

/*
 * Refuses CPUs that share a thread of the host: they cannot stop one by one; and one CPU, if time
 * stops with it.
 */
int qemu_check_threads(char *const *command, struct refusal *why);

/* True of a machine of several CPUs. */
bool qemu_has_several(char *const *command);

/* Runs the program to get its version. */
int qemu_ask(char *program, struct qemu_version *version, struct refusal *why);

/* True if QEMU, started without a machine, loads this plugin, which then makes QEMU exit. */
bool qemu_loads(char *program, const char *plugin);

/* --- Its log: qemu_log.c --- */

/*
 * The plugin reads interrupts from it where QEMU is older than 9.2 (outside/plugin/log.h). The
 * user's own -d and -D keep working: their lines are copied to where they would have gone.
 */
struct qemu_log {
    char folder[REQUEST_PATH_ROOM];
    char items[1024];                  /* for -d */
    char files[REQUEST_PATH_ROOM + 8]; /* for -D */
    int copy;                          /* descriptor for the user's lines, or -1 */
    bool copies_all;                   /* they include those of -d int */
};

/* True if the plugin for this version of QEMU reads the log. */
bool qemu_log_is_needed(const struct qemu_version *version);

/* Reads -d and -D, and opens the user's file. */
int qemu_log_check(struct qemu_log *log, const struct qemu_version *version, char *const *command,
                   struct refusal *why);

/* After qemu_log_check: makes the folder, and takes -d and -D out of the command. */
int qemu_log_prepare(struct qemu_log *log, char **command, struct refusal *why);

/* After QEMU's exit: copies what is left, and removes the folder. */
void qemu_log_finish(const struct qemu_log *log);

/* --- Its process: machine.c --- */

/*
 * QEMU is a child process with the terminal and a pipe for the plugin's output. A signal that would
 * terminate this command terminates QEMU first; if this command is killed, the operating system
 * asks QEMU to exit.
 */
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

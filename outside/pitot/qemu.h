/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's QEMU: its command line, whether it loads plugins, and its log. Called by
 * outside/pitot/main.c before anything is started or written, and by watch.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

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

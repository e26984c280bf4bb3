/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's log, from which the plugin reads interrupts where QEMU is older than 9.2
 * (outside/plugin/log.h). The user's own -d and -D keep working: their lines are copied to where
 * they would have gone. Called by outside/pitot/watch.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "core/lib/refusal.h"
#include "outside/pitot/qemu.h"
#include "outside/request.h"

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

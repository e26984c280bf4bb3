/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's QEMU: checks its command line, and whether it can load plugins. Called by
 * outside/pitot/main.c before anything is started or written.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"

struct qemu_version {
    unsigned major, minor;
};

/* The argument of -kernel; NULL: none. */
const char *qemu_kernel(char *const *command);

/* 0, or a negative errno and the reason: the arguments request something plugins cannot follow. */
int qemu_check_arguments(char *const *command, struct refusal *why);

/*
 * 0, or a negative errno and the reason: several CPUs in one thread, which this version reports to
 * the plugin under one number.
 */
int qemu_check_cpus(char *const *command, const struct qemu_version *version, struct refusal *why);

/* Runs the program to get its version. 0, or a negative errno and the reason. */
int qemu_ask(char *program, struct qemu_version *version, struct refusal *why);

/* Whether QEMU loads that plugin. QEMU starts without a machine, and the plugin terminates it. */
bool qemu_loads(char *program, const char *plugin);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's QEMU: its command line, and whether it loads plugins. Called by outside/pitot/main.c
 * before anything is started or written.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"

struct qemu_version {
    unsigned major, minor;
};

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

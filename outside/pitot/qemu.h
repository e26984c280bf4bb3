/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's QEMU: what its command line says, and whether it can load plugins. Called by
 * outside/pitot/main.c before anything is started or written.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"

struct qemu_version {
    unsigned major, minor;
};

/* What follows -kernel; NULL: nothing does. */
const char *qemu_kernel(char *const *command);

/* 0, or a negative errno and the reason: the words ask for what plugins cannot follow. */
int qemu_check_words(char *const *command, struct refusal *why);

/*
 * 0, or a negative errno and the reason: several CPUs in one thread, of which this version tells
 * the plugin one number.
 */
int qemu_check_cpus(char *const *command, const struct qemu_version *version, struct refusal *why);

/* Asks the program itself. 0, or a negative errno and the reason. */
int qemu_ask(char *program, struct qemu_version *version, struct refusal *why);

/* Whether it loads that plugin; it is started without a machine, and ended by the plugin. */
bool qemu_loads(char *program, const char *plugin);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin: its file, and the argument with which QEMU loads it, FILE.so,request=FD, with the
 * descriptor of a struct request (outside/request.h). Called by outside/pitot/watch.c.
 */
#pragma once

#include <stdbool.h>

#include "outside/pitot/qemu.h"
#include "outside/pitot/watch.h"

struct plugin {
    char file[PATH_MAX];
    bool tried;                /* tested with this version of QEMU */
    bool rights[WATCH_RIGHTS]; /* QEMU gives it these */
};

/*
 * Finds, beside the command's file or in ../lib/pitot, the plugin tested with this QEMU, or the
 * newest that it loads.
 */
int plugin_find(struct plugin *plugin, char *program, const struct qemu_version *version,
                struct refusal *why);

/* Prints the interfaces that there are plugins for, with the QEMU versions they are tested with. */
int plugin_list(struct refusal *why);

/* Adds addresses to the request, at the end of `list`, which must be the last one that grew. */
int plugin_add_addresses(struct watch *watch, struct request_list *list, const uint64_t *addresses,
                         size_t count, struct refusal *why);

/*
 * Adds [first, end) to a list of ranges, in order of `first`, but not what the one before it has.
 */
int plugin_add_range(struct watch *watch, struct request_list *list, uint64_t first, uint64_t end,
                     struct refusal *why);

/*
 * Writes the request. Returns the argument, which the caller frees, or NULL and the reason. `out`
 * is a descriptor that QEMU inherits.
 */
char *plugin_argument(const struct plugin *plugin, struct watch *watch, int out,
                      const struct qemu_log *log, struct refusal *why);

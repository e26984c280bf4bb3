/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions by which a kernel takes its locks and gives them back: those of --lock, --mutex,
 * --trylock, --unlock and --lock-init, or else those whose names are known; and those of --wait and
 * --wake. Called by outside/pitot/locks.c and trace_locks.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"
#include "outside/request.h"

struct lock_function {
    struct request_lock_function asked;
    const char *name;
    unsigned family; /* of known names: functions for the same locks; 0: the name was given */
};

struct lock_functions {
    size_t count;
    bool given; /* by options: they are all that take locks */
    struct lock_function function[LOCK_FUNCTIONS_MOST];
};

/*
 * Finds them; there may be none. Refuses a name that the kernel does not have, and names that take
 * without one that gives back, or the reverse.
 */
int lock_functions_find(struct lock_functions *functions, const struct pitot_options *options,
                        const struct kernel *kernel, struct refusal *why);

/* Finds those of --wait and --wake, which are spelt as the others; there may be none. */
int lock_functions_find_wakes(struct lock_functions *functions, const struct pitot_options *options,
                              const struct kernel *kernel, struct refusal *why);

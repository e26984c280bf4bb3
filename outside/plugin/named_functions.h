/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that the user has named, each with what it is called for: an argument, or a variable.
 * Under the plugin's lock.
 */
#pragma once

#include <stdint.h>

#include "outside/request.h"

struct named_functions {
    const struct request_lock_function *function;
    uint32_t count;
    uint64_t slide; /* how far the kernel has moved from its file's addresses */
};

struct named_functions named_functions_of(const struct request_lock_function *function,
                                          uint32_t count);

/* Returns the function whose first instruction is at `ip`; NULL: none is. */
const struct request_lock_function *named_functions_find(const struct named_functions *functions,
                                                         uint64_t ip);

/* Returns what it is called for by this CPU, which is at its first instruction. */
uint64_t named_functions_value(const struct named_functions *functions, unsigned cpu,
                               const struct request_lock_function *function);

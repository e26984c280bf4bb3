/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the request names in the kernel's file (outside/request.h): sorted ranges of addresses,
 * first byte, end, ...; sorted addresses; and functions, each with what it is called for. Called by
 * the plugin's parts that are asked for them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/request.h"

struct range {
    uint64_t first, end;
};

struct ranges {
    const struct range *range; /* in order; none overlaps another */
    size_t count;
};

struct ranges ranges_of(const struct request *request, struct request_list list);

/* Returns how many ranges end before the address, or with it. */
size_t ranges_before(const struct ranges *ranges, uint64_t address);

/* Returns the range that holds the address; NULL: none does. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

/* True if the list of sorted addresses has this one. */
bool ranges_have(const uint64_t *addresses, size_t count, uint64_t address);

/* --- Functions; under the plugin's lock --- */

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

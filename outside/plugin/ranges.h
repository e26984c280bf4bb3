/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorted ranges of addresses in the kernel's file that the request has (outside/request.h): first
 * byte, end, ...; and sorted addresses. Called by the plugin's parts that are asked for places.
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

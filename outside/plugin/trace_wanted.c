/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_wanted.h. */
#include "outside/plugin/trace_wanted.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "outside/plugin/named.h"

#define FILTER_BITS 16
#define NEVER       UINT64_MAX

static uint64_t least, slide;
static uint32_t depth_most;
static const uint64_t
    *functions; /* sorted; those that are wanted, by their addresses in the file */
static size_t function_count;
static uint8_t filter[1u << (FILTER_BITS - 3)]; /* a bit for each function's hash */

static uint32_t hash_of(uint64_t function)
{
    return (uint32_t)((function * 0x9e3779b97f4a7c15u) >> (64 - FILTER_BITS));
}

static void fill_filter(void)
{
    memset(filter, 0, sizeof(filter));
    for (size_t i = 0; i < function_count; i++) {
        uint32_t hash = hash_of(functions[i] + slide);

        filter[hash >> 3] |= (uint8_t)(1u << (hash & 7));
    }
}

void trace_wanted_slide(uint64_t by)
{
    slide += by;
    fill_filter();
}

void trace_wanted_begin(const struct request *request)
{
    least = request->trace.least;
    depth_most = request->trace.depth;
    functions = &request->addresses[request->trace.functions.first];
    function_count = request->trace.functions.count;
    fill_filter();
}

static bool is_wanted(uint64_t function)
{
    uint32_t hash = hash_of(function);

    if (function_count == 0)
        return true;
    return filter[hash >> 3] >> (hash & 7) & 1 &&
           ranges_have(functions, function_count, function - slide);
}

uint64_t trace_wanted_least(uint64_t function, uint32_t depth)
{
    return depth <= depth_most && is_wanted(function) ? least : NEVER;
}

uint64_t trace_wanted_least_within(uint32_t depth)
{
    return depth <= depth_most ? least : NEVER;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See named.h. */
#include "outside/plugin/named.h"

#include <assert.h>
#include <stdlib.h>

#include "outside/plugin/registers.h"

struct ranges ranges_of(const struct request *request, struct request_list list)
{
    return (struct ranges){(const void *)&request->addresses[list.first], list.count / 2};
}

size_t ranges_before(const struct ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (ranges->range[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
    size_t index = ranges_before(ranges, address);

    return index < ranges->count && ranges->range[index].first <= address ? &ranges->range[index]
                                                                          : NULL;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

bool ranges_have(const uint64_t *addresses, size_t count, uint64_t address)
{
    return bsearch(&address, addresses, count, sizeof(address), compare);
}

/* --- Functions --- */

struct named_functions named_functions_of(const struct request_lock_function *function,
                                          uint32_t count)
{
    assert(count <= LOCK_FUNCTIONS_MOST);
    return (struct named_functions){function, count, 0};
}

const struct request_lock_function *named_functions_find(const struct named_functions *functions,
                                                         uint64_t ip)
{
    for (uint32_t i = 0; i < functions->count; i++)
        if (functions->function[i].entry == ip - functions->slide)
            return &functions->function[i];
    return NULL;
}

uint64_t named_functions_value(const struct named_functions *functions, unsigned cpu,
                               const struct request_lock_function *function)
{
    return function->lock > ARGUMENTS_MOST ? function->lock + functions->slide
                                           : registers_argument(cpu, function->lock);
}

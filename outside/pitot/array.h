/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays, and sorted ones. Called by the code of outside/pitot/ that collects records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/refusal.h"

/*
 * Makes room for `wanted` elements of `size` bytes, and zeroes the new ones. `array` is the address
 * of the pointer to the elements, `what` their name in an error message.
 */
static inline int array_grow(void *array, size_t *room, size_t wanted, size_t size,
                             const char *what, struct refusal *why)
{
    size_t more = wanted > 2 * *room ? wanted : 2 * *room;
    char *grown;

    if (wanted <= *room)
        return 0;
    memcpy(&grown, array, sizeof(grown));
    grown = reallocarray(grown, more, size);
    if (!grown)
        return refuse(why, ENOMEM, "out of memory for %zu %s", more, what);
    memset(grown + *room * size, 0, (more - *room) * size);
    memcpy(array, &grown, sizeof(grown));
    *room = more;
    return 0;
}

/*
 * How many elements, which are sorted by a member of 4 or 8 bytes, have one below the key, or also
 * one that is equal. So this is the index of the first of the others.
 */
#define ARRAY_BELOW(array, count, member, key)                                                     \
    array_find(array, count, sizeof(*(array)), offsetof(__typeof__(*(array)), member),             \
               sizeof((array)->member), key, false)
#define ARRAY_UNTIL(array, count, member, key)                                                     \
    array_find(array, count, sizeof(*(array)), offsetof(__typeof__(*(array)), member),             \
               sizeof((array)->member), key, true)

static inline size_t array_find(const void *array, size_t count, size_t size, size_t offset,
                                size_t width, uint64_t key, bool equal)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        const void *at = (const char *)array + middle * size + offset;
        uint64_t member = width == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;

        if (member < key || (equal && member == key))
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

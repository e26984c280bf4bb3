/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An array whose entries have numbers that count up, as threads and locks have; it grows as they
 * come. Under the plugin's lock, which also guards what is found until the next number comes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERED_LEAST 1024u /* entries */

struct numbered {
    void *entries;
    uint32_t room; /* entries that there are */
};

/* Returns the entry, of `size` bytes: zeroes, if it is new. NULL: no memory. */
static inline void *numbered_at(struct numbered *array, uint32_t number, size_t size)
{
    if (number >= array->room) {
        uint32_t room = number < NUMBERED_LEAST ? NUMBERED_LEAST : 2 * number;
        char *more = realloc(array->entries, room * size);

        if (!more)
            return NULL;
        memset(more + array->room * size, 0, (room - array->room) * size);
        array->entries = more;
        array->room = room;
    }
    return (char *)array->entries + number * size;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See numbered.h. */
#include "outside/plugin/numbered.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LESS 1024u

void *numbered_at(struct numbered *array, uint32_t number, size_t size)
{
    if (number >= array->room) {
        uint32_t room = number < ROOM_LESS ? ROOM_LESS : 2 * number;
        char *more = realloc(array->entries, room * size);

        if (!more)
            return NULL;
        memset(more + array->room * size, 0, (room - array->room) * size);
        array->entries = more;
        array->room = room;
    }
    return (char *)array->entries + number * size;
}

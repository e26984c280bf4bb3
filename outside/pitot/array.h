/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays. Called by the code of outside/pitot/ that collects records. */
#pragma once

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

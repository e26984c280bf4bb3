/* SPDX-License-Identifier: BSD-2-Clause */
/* See threads.h. */
#include "outside/pitot/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/name.h"

#define THREADS_MOST (1u << 20) /* larger numbers are invalid */

static char **names; /* [thread] */
static uint32_t room;

int threads_add(const struct wire_thread *thread, struct refusal *why)
{
    uint32_t number = thread->thread;
    char name[NAME_ROOM];

    if (number >= THREADS_MOST)
        return refuse(why, EINVAL, "the plugin's thread %u is invalid", number);
    if (number >= room) {
        uint32_t more = 2 * number + 1;
        char **grown = reallocarray(names, more, sizeof(*names));

        if (!grown)
            return refuse(why, ENOMEM, "out of memory for %u threads", more);
        memset(grown + room, 0, (more - room) * sizeof(*grown));
        names = grown;
        room = more;
    }
    free(names[number]);
    names[number] = strdup(name_function(thread->outermost, name));
    return 0;
}

const char *threads_name(uint32_t thread)
{
    return thread < room && names[thread] ? names[thread] : "?";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See threads.h. */
#include "outside/pitot/threads.h"

#include <stdio.h>

#include "outside/pitot/array.h"
#include "outside/pitot/name.h"

#define THREADS_MOST (1u << 20) /* larger numbers are invalid */

static char **names; /* [thread] */
static size_t room;

int threads_add(const struct wire_thread *thread, struct refusal *why)
{
    uint32_t number = thread->thread;
    char name[NAME_ROOM];
    int error;

    if (number >= THREADS_MOST)
        return refuse(why, EINVAL, "the plugin's thread %u is invalid", number);
    error = array_grow(&names, &room, number + 1, sizeof(*names), "threads", why);
    if (error)
        return error;
    free(names[number]);
    names[number] = strdup(name_function(thread->outermost, name));
    return 0;
}

const char *threads_name(uint32_t thread)
{
    return thread < room && names[thread] ? names[thread] : "?";
}

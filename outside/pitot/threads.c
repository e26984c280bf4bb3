/* SPDX-License-Identifier: BSD-2-Clause */
/* See threads.h. */
#include "outside/pitot/threads.h"

#include <stdio.h>

#include "outside/pitot/array.h"
#include "outside/pitot/name.h"

#define THREADS_MOST (1u << 20) /* larger numbers are invalid */

static struct thread {
    char *name;
    uint32_t space;
} * threads; /* [number] */
static size_t room;

int threads_add(const struct wire_thread *thread, struct refusal *why)
{
    uint32_t number = thread->thread;
    char name[NAME_ROOM];
    int error;

    if (number >= THREADS_MOST)
        return refuse(why, EINVAL, "the plugin's thread %u is invalid", number);
    error = array_grow(&threads, &room, number + 1, sizeof(*threads), "threads", why);
    if (error)
        return error;
    free(threads[number].name);
    threads[number] =
        (struct thread){strdup(name_function(thread->outermost, name)), thread->space};
    return 0;
}

bool threads_known(uint32_t thread)
{
    return thread < room && threads[thread].name;
}

const char *threads_name(uint32_t thread)
{
    return threads_known(thread) ? threads[thread].name : "?";
}

uint32_t threads_space(uint32_t thread)
{
    return thread < room ? threads[thread].space : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h: the numbers of threads and of address spaces. */
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/follow_cpu.h"

#define THREADS_LESS 1024
#define SPACES_MOST  4096

static struct follow_thread *threads; /* [number] */
static uint32_t threads_room, thread_count;
static uint64_t spaces[SPACES_MOST]; /* cr3, [number - 1] */
static uint32_t space_count;

static struct follow_thread *thread_of(uint32_t number)
{
    if (number >= threads_room) {
        uint32_t room = number < THREADS_LESS ? THREADS_LESS : 2 * number;
        struct follow_thread *more = realloc(threads, room * sizeof(*more));

        if (!more)
            return NULL;
        memset(more + threads_room, 0, (room - threads_room) * sizeof(*more));
        threads = more;
        threads_room = room;
    }
    return &threads[number];
}

struct follow_thread *follow_thread_info(uint32_t number)
{
    return thread_of(number);
}

/* Address spaces are numbered from 1, in the order in which programs run in them. */
static uint32_t space_number(uint64_t space)
{
    uint32_t i = 0;

    while (i < space_count && spaces[i] != space)
        i++;
    if (i == SPACES_MOST)
        return 0;
    if (i == space_count)
        spaces[space_count++] = space;
    return i + 1;
}

uint32_t follow_thread_on(struct stack *stack)
{
    if (__builtin_expect(!stack->thread, 0))
        stack->thread = ++thread_count;
    return stack->thread;
}

void follow_set_user(struct stack *stack, uint64_t space)
{
    struct follow_thread *thread =
        stack->user || !space ? NULL : thread_of(follow_thread_on(stack));

    stack->program = space;
    if (!thread)
        return;
    stack->user = true;
    thread->space = space_number(space);
}

uint32_t follow_thread(unsigned number)
{
    const struct follow_cpu *cpu = &follow_cpus[number];

    return cpu->stack && cpu->open != LOADED ? follow_thread_on(cpu->stack) : 0;
}

uint64_t follow_space_of(unsigned number)
{
    return follow_cpus[number].space;
}

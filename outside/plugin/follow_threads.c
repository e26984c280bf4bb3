/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h: the numbers of threads and of address spaces. */
#include "outside/plugin/follow_cpu.h"
#include "outside/plugin/numbered.h"

#define SPACES_MOST 4096

static struct numbered threads; /* struct follow_thread */
static uint32_t thread_count;
static uint64_t spaces[SPACES_MOST]; /* cr3, [number - 1] */
static uint32_t space_count;

struct follow_thread *follow_thread_info(uint32_t number)
{
    return numbered_at(&threads, number, sizeof(struct follow_thread));
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
        stack->user || !space ? NULL : follow_thread_info(follow_thread_on(stack));

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

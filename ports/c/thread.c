/* SPDX-License-Identifier: BSD-2-Clause */
/* Cooperative threads, in turn. Task context. */
#include "ports/c/kernel.h"

#include "pitot.h"

struct thread threads[ALL_THREADS] = {{0, "boot", 1}};
char thread_stacks[ALL_THREADS][STACK_SIZE] __attribute__((aligned(16)));

void thread_make(uint32_t number, const char *name, void (*run)(void))
{
    uint64_t *top = (uint64_t *)(thread_stacks[number] + STACK_SIZE);

    top[-1] = 0;
    top[-2] = (uint64_t)thread_begin;
    top[-3] = 0;             /* rbp */
    top[-4] = (uint64_t)run; /* rbx */
    memset(&top[-8], 0, 4 * sizeof(*top));
    threads[number] = (struct thread){(uint64_t)&top[-8], name, 1};
    pitot_thread_named(number, name); /* PITOT */
}

void thread_yield(void)
{
    uint32_t from = this_cpu()->current, to = from;

    do
        to = (to + 1) % ALL_THREADS;
    while (!threads[to].runs);
    if (to == from)
        return;
    this_cpu()->current = to;
    pitot_thread_runs(to); /* PITOT */
    thread_switch(&threads[from].sp, threads[to].sp);
}

void thread_end(void)
{
    threads[this_cpu()->current].runs = 0;
    pitot_thread_ended(this_cpu()->current); /* PITOT */
    thread_yield();
}

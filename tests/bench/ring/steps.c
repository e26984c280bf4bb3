/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that an event executes, counted one by one: this process single-steps itself
 * (EFLAGS.TF, SIGTRAP), so it needs no permission, counters or child. Exact, and the same on every
 * machine with the same compiler and libraries. The loop around an event, some five instructions,
 * is included for every writer. A string instruction counts once, however often it repeats; those
 * of system calls are not counted.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "tests/bench/ring/measure.h"

#define TRAP_FLAG 0x100ull
#define EVENTS    20u
#define SETTLED   3 /* laps */

static volatile uint64_t steps;
static greg_t stepped; /* the address of the last step */

static void step(int signal, siginfo_t *info, void *context)
{
    greg_t at = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

    (void)signal;
    (void)info;
    if (at != stepped)
        steps = steps + 1;
    stepped = at;
}

static uint64_t count_steps(const struct writer *writer, struct side *side, unsigned events)
{
    steps = 0;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    writer->burst(side, events);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
    return steps;
}

double count_instructions(const struct writer *writer, unsigned payload)
{
    static struct side side;
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO}, before;
    uint64_t none, all;

    if (!side_open(&side, writer, payload))
        return 0;
    writer->burst(&side, SETTLED * RING_BYTES / EVENT_SIZE(payload)); /* full, with warm caches */
    sigaction(SIGTRAP, &action, &before);
    none = count_steps(writer, &side, 0);
    all = count_steps(writer, &side, EVENTS);
    sigaction(SIGTRAP, &before, NULL);
    writer->close(&side);
    return (double)(all - none) / EVENTS;
}

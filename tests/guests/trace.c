/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two CPUs that pass a number back and forth, 200 times each way. True: each `sends` begins before
 * the `receives` that waits for its number ends, and each `receives` on one CPU ends before the
 * next `sends` there begins; each turn runs both once, on both CPUs.
 */
#include "tests/guests/cpus.h"

#define CPUS  2
#define TURNS 200

static volatile unsigned numbers[CPUS]; /* sent to this CPU */
static volatile unsigned arrived;

NOINLINE static void sends(unsigned to, unsigned number)
{
    numbers[to] = number;
    KEEP_FRAME();
}

NOINLINE static void receives(unsigned cpu, unsigned number)
{
    while (numbers[cpu] != number)
        __asm__ volatile("pause");
    KEEP_FRAME();
}

NOINLINE static void turn(unsigned cpu, unsigned number)
{
    if (cpu == 0)
        sends(1, number);
    receives(cpu, number);
    if (cpu == 1)
        sends(0, number);
    KEEP_FRAME();
}

NOINLINE static void turns(unsigned cpu)
{
    for (unsigned number = 1; number <= TURNS; number++)
        turn(cpu, number);
    KEEP_FRAME();
}

void cpu_main(unsigned cpu)
{
    turns(cpu);
    meet(&arrived, CPUS);
    for (;;)
        __asm__ volatile("hlt");
}

void main(void)
{
    start_cpus(CPUS);
    turns(0);
    meet(&arrived, CPUS);
    quit();
}

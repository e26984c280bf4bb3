/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two CPUs, each of which becomes the owner of something if there is none, for TURNS turns. Between
 * the check and the claim they call a function, and nothing keeps the other CPU from becoming the
 * owner as well; that is rare, and the kernel then panics. With -DMENDED a lock prevents it. With
 * -DHANGS the kernel halts for good instead.
 */
#include "tests/guests/cpus.h"

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#ifndef TURNS
#define TURNS 2000
#endif

static volatile int lock;
static volatile unsigned arrived, owner, thoughts;

NOINLINE static void stop(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

NOINLINE static void panic(void)
{
    for (const char *text = "kernel PANIC: two owners\n"; *text; text++)
        out(0xe9, (uint8_t)*text);
    stop();
}

NOINLINE static void think(void)
{
    thoughts = 1;
}

NOINLINE static void claims(unsigned cpu)
{
    if (!WRONG)
        lock_take(&lock);
    if (!owner) {
        think();
        owner = cpu + 1;
        think();
        if (owner != cpu + 1)
            panic();
        owner = 0;
    }
    if (!WRONG)
        lock_give(&lock);
}

static void run(unsigned cpu)
{
    meet(&arrived, 2);
    for (unsigned i = 0; i < TURNS; i++)
        claims(cpu);
    meet(&arrived, 2);
}

void cpu_main(unsigned cpu)
{
    run(cpu);
}

void main(void)
{
    start_cpus(2);
#ifdef HANGS
    stop();
#endif
    run(0);
    quit();
}

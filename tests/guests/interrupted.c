/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU, and races of its code with the timer's handler that `pitot race` finds; with -DMENDED
 * none, because interrupts are off meanwhile. Between each two accesses of the code there is a
 * call: QEMU delivers interrupts only between blocks of code. With the default build
 *
 *     counts     increments a counter that the handler increments, too        lost
 *     reads      reads a pair of words, which the handler writes              torn
 *     writes     ... and writes one that the handler reads                    torn
 *     takes      answers the handler's requests, and one that comes meanwhile  lost
 *
 * Correct in both builds: a clock that the handler counts and the code reads; a counter that the
 * handler increments and decrements; a word that both only write; a value that is read with
 * interrupts off, and written after they were on.
 */
#include "tests/guests/guest.h"

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#ifndef TICKS
#define TICKS 100 /* per function */
#endif

#define CODE_MOST 4000000u /* turns of a function, if interrupts arrive slowly */

static volatile long clock, sink;
static volatile long counter, nesting, written, request, state;
static struct {
    volatile long low, high;
} pair, own;

NOINLINE static void between(void)
{
    sink = sink + 1;
}

static void enter(void)
{
    if (!WRONG)
        __asm__ volatile("cli" ::: "memory");
}

static void leave(void)
{
    if (!WRONG)
        __asm__ volatile("sti; nop" ::: "memory");
}

NOINLINE static void counts(void)
{
    long seen;

    enter();
    seen = counter;
    between();
    counter = seen + 1;
    leave();
}

NOINLINE static void reads(void)
{
    long low;

    enter();
    low = pair.low;
    between();
    sink = low - pair.high;
    leave();
}

NOINLINE static void writes(void)
{
    enter();
    own.low = clock;
    between();
    own.high = own.low;
    leave();
}

NOINLINE static void takes(void)
{
    long seen;

    enter();
    seen = request;
    between();
    sink = seen;
    request = 0;
    leave();
}

/* --- Correct code --- */

NOINLINE static void asks(void)
{
    long now = clock;

    between();
    sink = now;
}

NOINLINE static void nests(void)
{
    long depth = nesting;

    between();
    nesting = depth + 1;
    between();
    nesting = depth;
}

NOINLINE static void marks(void)
{
    written = 1;
    between();
    written = 2;
}

NOINLINE static void renews(void)
{
    __asm__ volatile("cli" ::: "memory");
    sink = state;
    __asm__ volatile("sti; nop" ::: "memory");
    between();
    state = 0;
}

USED static void handle_tick(void)
{
    long seen = own.low - own.high;

    clock = clock + 1;
    counter = counter + 1;
    nesting = nesting + 1;
    nesting = nesting - 1;
    pair.low = clock;
    pair.high = pair.low;
    written = seen;
    request = 1;
    state = clock;
    out(0x20, 0x20);
}

FUNCTION(tick, PUSH_ALL "call handle_tick\n" POP_ALL "iretq");
extern void tick(void);

static void repeat(void (*function)(void))
{
    long end = clock + TICKS;

    for (unsigned i = 0; clock < end && i < CODE_MOST; i++)
        function();
}

void main(void)
{
    set_gate(32, tick, 0);
    start_timer(1193);
    __asm__ volatile("sti");
    repeat(counts);
    repeat(reads);
    repeat(writes);
    repeat(takes);
    repeat(asks);
    repeat(nests);
    repeat(marks);
    repeat(renews);
    quit();
}

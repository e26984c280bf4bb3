/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks for which a CPU waits, and threads that wake each other, TURNS times each. True:
 *
 *     big         CPU 0 releases it only once CPU 1 is in `lock` for it: CPU 1 waits each time
 *     small       CPU 0 takes it by `try_lock`, and fails to take it again while it holds it
 *     only        the lock of `lock_all` and `unlock_all`, found by this variable; CPU 0 nests it
 *                 twice
 *     queue       `sleeper` sleeps on it, and main wakes it: it runs next
 *     outer       `sleeper` waits for it, but meanwhile for `inner`, whose wake makes it run
 *     both        `sleeper` and `other` sleep on it: one wake, of an unknown one of them
 *     nothing     is woken once, while no thread waits for it
 *     ending      CPU 0 has it at the end, and CPU 1 waits for it
 */
#include "tests/guests/cpus.h"

#define CPUS  2
#define TURNS 20

struct spin {
    volatile int taken;
};

static struct spin big, small, ending;
static volatile int only;
static volatile unsigned asked[CPUS], turn, done;

static uint8_t stacks[2][16384] __attribute__((aligned(4096)));
static uint64_t *saved[3]; /* sleeper, other, main */
static volatile int queue, both, nothing, outer, inner;

/* --- Locks --- */

NOINLINE static void asks(unsigned cpu)
{
    asked[cpu]++;
    KEEP_FRAME();
}

NOINLINE void lock(struct spin *lock, unsigned cpu)
{
    asks(cpu);
    while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
}

NOINLINE void unlock(struct spin *lock)
{
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

/* Returns 0 if it took the lock. */
NOINLINE int try_lock(struct spin *lock)
{
    return __atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
}

NOINLINE void lock_all(void)
{
    only++;
}

NOINLINE void unlock_all(void)
{
    only--;
}

NOINLINE static void lets_wait(unsigned count)
{
    lock(&big, 0);
    turn = count;
    while (asked[1] < count)
        __asm__ volatile("pause");
    unlock(&big);
    while (done < count)
        __asm__ volatile("pause");
}

NOINLINE static void tries(void)
{
    int had = try_lock(&small);

    if (!try_lock(&small) || had)
        quit(); /* unreachable */
    unlock(&small);
    lock_all();
    lock_all();
    unlock_all();
    unlock_all();
}

void cpu_main(unsigned cpu)
{
    for (unsigned count = 1; count <= TURNS; count++) {
        while (turn < count)
            __asm__ volatile("pause");
        lock(&big, cpu);
        unlock(&big);
        done = count;
    }
    while (turn == TURNS)
        __asm__ volatile("pause");
    lock(&ending, cpu);
}

/* --- Threads of CPU 0: the sleepers and main take turns --- */

extern void switch_to(uint64_t **from, uint64_t *to);
FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "ret");

NOINLINE void sleep_on(volatile int *what, unsigned thread)
{
    *what = 1;
    while (*what)
        switch_to(&saved[thread], saved[2]);
    KEEP_FRAME();
}

NOINLINE void sleep_within(volatile int *what, unsigned thread)
{
    while (*what)
        sleep_on(&inner, thread);
    KEEP_FRAME();
}

NOINLINE void wake_up(volatile int *what)
{
    *what = 0;
}

NOINLINE static void run(unsigned thread)
{
    switch_to(&saved[2], saved[thread]);
    KEEP_FRAME();
}

static void sleeper(void)
{
    for (unsigned count = 0; count < TURNS; count++)
        sleep_on(&queue, 0);
    outer = 1;
    sleep_within(&outer, 0);
    for (;;)
        sleep_on(&both, 0);
}

static void other(void)
{
    for (;;)
        sleep_on(&both, 1);
}

static uint64_t *make(uint8_t *top, void (*function)(void))
{
    uint64_t *stack = (uint64_t *)top;

    *--stack = 0;
    *--stack = (uint64_t)function;
    return stack - 6;
}

NOINLINE static void wakes(void)
{
    saved[0] = make(stacks[0] + sizeof(stacks[0]), sleeper);
    saved[1] = make(stacks[1] + sizeof(stacks[1]), other);
    run(0);
    for (unsigned count = 1; count <= TURNS; count++) {
        wake_up(&queue);
        run(0);
    }
    wake_up(&outer);
    wake_up(&inner);
    run(0);
    run(1);
    wake_up(&both);
    run(1);
    wake_up(&nothing);
}

void main(void)
{
    start_cpus(CPUS);
    for (unsigned count = 1; count <= TURNS; count++) {
        lets_wait(count);
        tries();
    }
    wakes();
    lock(&ending, 0);
    turn = TURNS + 1;
    while (asked[1] <= TURNS)
        __asm__ volatile("pause");
    quit();
}

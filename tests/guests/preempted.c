/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight threads on adjacent stacks of 4 KiB, preempted by the timer: their interrupt frames lie on
 * their stacks. Thread i calls fn_i, mid_i up to five times, leaf_i. True: 2,000 interrupts, and a
 * single i in each chain.
 */
#include "tests/guests/guest.h"

#define THREADS    8
#define TICKS      2000
#define STACK_SIZE 4096

static uint8_t stacks[THREADS + 1][STACK_SIZE] __attribute__((aligned(4096)));
static uint64_t saved[THREADS];
static int current;
volatile uint64_t ticks, counts[THREADS];

extern void handler(void), first(uint64_t rsp);
FUNCTION(handler, PUSH_ALL "mov %rsp, %rdi; call tick; mov %rax, %rsp\n"
                           "continue_thread:\n" POP_ALL "iretq");
FUNCTION(first, "mov %rdi, %rsp; jmp continue_thread");

USED NOINLINE uint64_t tick(uint64_t rsp)
{
    if (++ticks == TICKS)
        quit();
    out(0x20, 0x20);
    saved[current] = rsp;
    current = (current + 7) % THREADS;
    return saved[current];
}

#define THREAD(i)                                                                                  \
    NOINLINE void leaf_##i(void)                                                                   \
    {                                                                                              \
        counts[i]++;                                                                               \
        KEEP_FRAME();                                                                              \
    }                                                                                              \
    NOINLINE void mid_##i(uint64_t depth)                                                          \
    {                                                                                              \
        char bytes[128];                                                                           \
                                                                                                   \
        __asm__ volatile("" ::"r"(bytes) : "memory");                                              \
        if (depth)                                                                                 \
            mid_##i(depth - 1);                                                                    \
        else                                                                                       \
            leaf_##i();                                                                            \
        __asm__ volatile("" ::"r"(bytes) : "memory");                                              \
    }                                                                                              \
    NOINLINE void fn_##i(void)                                                                     \
    {                                                                                              \
        for (uint64_t k = 0;; k++)                                                                 \
            mid_##i(k % 6);                                                                        \
    }
THREAD(0)
THREAD(1)
THREAD(2)
THREAD(3)
THREAD(4)
THREAD(5)
THREAD(6)
THREAD(7)

void main(void)
{
    static void (*const functions[THREADS])(void) = {fn_0, fn_1, fn_2, fn_3,
                                                     fn_4, fn_5, fn_6, fn_7};

    for (int i = 0; i < THREADS; i++) {
        uint64_t *stack = (uint64_t *)stacks[i + 1], top;

        *--stack = 0;
        top = (uint64_t)stack;
        *--stack = 0x10;
        *--stack = top;
        *--stack = 0x202;
        *--stack = 8;
        *--stack = (uint64_t)functions[i];
        for (int j = 0; j < 15; j++)
            *--stack = 0;
        saved[i] = (uint64_t)stack;
    }
    set_gate(32, handler, 0);
    start_timer(1193);
    first(saved[0]);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coroutines that switch by `leave; ret`. True: a_leaf < a_fn five times, b_leaf < b_fn five times,
 * and no interrupt.
 */
#include "tests/guests/guest.h"

static uint8_t stacks[2][16384] __attribute__((aligned(4096)));
static uint64_t *saved[3];
volatile uint64_t a_count, b_count;

extern void switch_to(uint64_t **from, uint64_t *to);
FUNCTION(switch_to, "push %rbp; mov %rsp, %rbp; mov %rbp, (%rdi); jmp 1f\n"
                    "1: mov %rsi, %rbp; leave; ret");

#define SWITCH(from, to)                                                                           \
    __asm__ volatile("call switch_to" ::"D"(from), "S"(to)                                         \
                     : "rbx", "r12", "r13", "r14", "r15", "memory", "rax", "rcx", "rdx")

NOINLINE void a_leaf(void)
{
    a_count++;
    KEEP_FRAME();
}

NOINLINE void b_leaf(void)
{
    b_count++;
    KEEP_FRAME();
}

NOINLINE void a_fn(void)
{
    for (;;) {
        a_leaf();
        SWITCH(&saved[0], saved[1]);
    }
}

NOINLINE void b_fn(void)
{
    for (;;) {
        b_leaf();
        SWITCH(&saved[1], saved[b_count == 5 ? 2 : 0]);
    }
}

static uint64_t *make(uint8_t *top, void (*function)(void))
{
    uint64_t *stack = (uint64_t *)top;

    *--stack = 0;
    *--stack = (uint64_t)function;
    *--stack = 0;
    return stack;
}

void main(void)
{
    saved[0] = make(stacks[0] + sizeof(stacks[0]), a_fn);
    saved[1] = make(stacks[1] + sizeof(stacks[1]), b_fn);
    SWITCH(&saved[2], saved[0]);
    quit();
}

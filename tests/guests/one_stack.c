/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that run one after another on one stack; each starts with pops and `ret`. True: leaf <
 * fn1 and leaf < fn2 three times each, six threads, and no interrupt.
 */
#include "tests/guests/guest.h"

static uint8_t stack[16384] __attribute__((aligned(4096)));
static uint64_t *thread, *boot;
volatile uint64_t count;

extern void switch_to(uint64_t **from, uint64_t *to);
FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "ret");

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

NOINLINE void done(void)
{
    switch_to(&thread, boot);
    __builtin_unreachable();
}

NOINLINE void fn1(void)
{
    leaf();
    done();
}

NOINLINE void fn2(void)
{
    char room[256];

    __asm__ volatile("" ::"r"(room) : "memory");
    leaf();
    __asm__ volatile("" ::"r"(room) : "memory");
    done();
}

static uint64_t *make(uint8_t *top, void (*function)(void))
{
    uint64_t *made = (uint64_t *)top;

    *--made = 0;
    *--made = (uint64_t)function;
    for (int i = 0; i < 6; i++)
        *--made = 0;
    return made;
}

void main(void)
{
    for (int i = 0; i < 6; i++) {
        thread = make(stack + sizeof(stack), i & 1 ? fn2 : fn1);
        switch_to(&boot, thread);
    }
    quit();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread on a stack of 64 KiB ends deep in its calls. Its memory is reused: by threads on stacks
 * of 8 KiB within it, and by one of the same size. True, three times each: leaf < small, leaf <
 * large; leaf < deep ... < outer once. A thread that is switched out in a deeper call, and
 * continues in an outer one by longjmp, has its callers: leaf < resumed < begun, three times, and
 * leaf < deep < deep < deep < deep < resumed < begun.
 */
#include "tests/guests/guest.h"

#define SMALL 8192

static uint8_t memory[65536] __attribute__((aligned(4096)));
static uint8_t other[8192] __attribute__((aligned(4096)));
static uint64_t *thread, *boot;
static uint64_t saved[8];
volatile uint64_t count;

extern void switch_to(uint64_t **from, uint64_t *to);
extern int set_jump(uint64_t *to) __attribute__((returns_twice));
extern void jump(uint64_t **from, const uint64_t *to);
FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "ret");
FUNCTION(set_jump, "pop %rsi; mov %rbx, (%rdi); mov %rsp, 8(%rdi); push %rsi; mov %rbp, 16(%rdi)\n"
                   "mov %r12, 24(%rdi); mov %r13, 32(%rdi); mov %r14, 40(%rdi)\n"
                   "mov %r15, 48(%rdi); mov %rsi, 56(%rdi); xor %eax, %eax; ret");
/* Leaves this stack as switch_to does. */
FUNCTION(jump, PUSH_SAVED "mov %rsp, (%rdi); mov (%rsi), %rbx; mov 8(%rsi), %rsp\n"
                          "mov 16(%rsi), %rbp; mov 24(%rsi), %r12; mov 32(%rsi), %r13\n"
                          "mov 40(%rsi), %r14; mov 48(%rsi), %r15; mov $1, %eax; jmp *56(%rsi)");

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

NOINLINE void done(void)
{
    switch_to(&thread, boot);
    KEEP_FRAME();
}

NOINLINE void deep(unsigned more)
{
    volatile uint8_t room[700];

    room[0] = 1;
    if (more > 0) {
        deep(more - 1);
    } else {
        leaf();
        done();
    }
    room[1] = 1;
}

NOINLINE void outer(void)
{
    deep(70);
    KEEP_FRAME();
}

NOINLINE void small(void)
{
    leaf();
    done();
    KEEP_FRAME();
}

NOINLINE void large(void)
{
    leaf();
    done();
    KEEP_FRAME();
}

NOINLINE void resumed(void)
{
    if (set_jump(saved) == 0)
        deep(3); /* switches away there */
    leaf();
    done();
    KEEP_FRAME();
}

NOINLINE void begun(void)
{
    resumed();
    KEEP_FRAME();
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

static void run(uint8_t *top, void (*function)(void))
{
    switch_to(&boot, make(top, function));
}

void main(void)
{
    run(memory + sizeof(memory), outer);
    for (int i = 1; i <= 3; i++)
        run(memory + sizeof(memory) - i * 2 * SMALL, small);
    for (int i = 0; i < 3; i++)
        run(memory + sizeof(memory), large);
    for (int i = 0; i < 3; i++) {
        run(other + sizeof(other), begun);
        jump(&boot, saved);
    }
    quit();
}

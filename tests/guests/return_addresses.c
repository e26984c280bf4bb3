/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What assembly does with return addresses: a call to get one's own address; `add` to one, to skip
 * an instruction; one that is exchanged; one that is dropped. True: no interrupt; leaf three times
 * below each of by_own, by_skip, by_exchange and by_drop; each returns once.
 */
#include "tests/guests/guest.h"

volatile uint64_t count;

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

FUNCTION(own_address, "call 1f\n1: pop %rax; ret");
FUNCTION(skip_one, "addq $2, (%rsp); ret");
FUNCTION(exchange, "lea 1f(%rip), %rax; xchg %rax, (%rsp); ret\n1: jmp *%rax");
FUNCTION(drop, "call dropper; ud2");
FUNCTION(dropper, "add $8, %rsp; ret");

#define CALL(code) __asm__ volatile("call " code ::: "rax", "memory")

NOINLINE void by_own(void)
{
    for (int i = 0; i < 3; i++) {
        CALL("own_address");
        leaf();
    }
    KEEP_FRAME();
}

NOINLINE void by_skip(void)
{
    for (int i = 0; i < 3; i++) {
        CALL("skip_one; ud2");
        leaf();
    }
    KEEP_FRAME();
}

NOINLINE void by_exchange(void)
{
    for (int i = 0; i < 3; i++) {
        CALL("exchange");
        leaf();
    }
    KEEP_FRAME();
}

NOINLINE void by_drop(void)
{
    for (int i = 0; i < 3; i++) {
        CALL("drop");
        leaf();
    }
    KEEP_FRAME();
}

void main(void)
{
    by_own();
    by_skip();
    by_exchange();
    by_drop();
    quit();
}

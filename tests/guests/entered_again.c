/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that are entered without a call: by a loop back to the first instruction, and a part
 * that gcc has moved out (vfs_read.cold). True: wait_zero is called 3 times, vfs_read 20 times.
 */
#include "tests/guests/guest.h"

volatile uint64_t count;

extern void wait_zero(volatile uint64_t *left);
FUNCTION(wait_zero, "decq (%rdi); jnz wait_zero; ret");

__attribute__((cold)) NOINLINE void report(void)
{
    count += 7;
    KEEP_FRAME();
}

NOINLINE int vfs_read(int number)
{
    if (__builtin_expect(number & 1, 0)) {
        report();
        count *= 3;
        report();
        return -1;
    }
    count++;
    return number;
}

void main(void)
{
    for (int i = 0; i < 3; i++) {
        volatile uint64_t left = 10;

        wait_zero(&left);
    }
    for (int i = 0; i < 20; i++)
        vfs_read(i);
    quit();
}

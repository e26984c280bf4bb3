/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recursion until the CPU resets by a triple fault. True: `last` prints main, and the number of
 * calls of rec.
 */
#include "tests/guests/guest.h"

volatile uint64_t count;

NOINLINE void rec(uint64_t depth)
{
    count = depth;
    rec(depth + 1);
    KEEP_FRAME();
}

void main(void)
{
    __asm__ volatile("mov $0x600000, %rsp");
    rec(0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests a reset, and makes a call in the same block of code: QEMU 7.2 ends after the call and
 * before the callee's first instruction. True: main called `callee`, or is at the call, or before
 * it. INDIRECT: the call is through a register.
 */
#include "tests/guests/guest.h"

#ifdef INDIRECT
#define CALLEE "*%%rcx"
#else
#define CALLEE "callee"
#endif

USED NOINLINE void callee(void)
{
    for (;;)
        ;
}

void main(void)
{
    __asm__ volatile("mov $callee, %%ecx\n\t"
                     "mov $0xfe, %%al\n\t"
                     "out %%al, $0x64\n\t"
                     "call " CALLEE ::
                         : "rax", "rcx", "memory");
}

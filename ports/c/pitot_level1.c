/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 1, call chains: reports the bounds of stacks. */
#include "ports/c/kernel.h"

#include "pitot.h"

int pitot_host_stack(unsigned long address, unsigned long *low, unsigned long *high)
{
    unsigned long thread = (address - 1 - (unsigned long)thread_stacks) / STACK_SIZE;

    if (address > (unsigned long)boot_stack && address <= (unsigned long)boot_stack_end) {
        *low = (unsigned long)boot_stack;
        *high = (unsigned long)boot_stack_end;
        return 1;
    }
    *low = (unsigned long)thread_stacks[thread % ALL_THREADS];
    *high = *low + STACK_SIZE;
    return thread < ALL_THREADS;
}

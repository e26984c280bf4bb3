/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 1, call chains: reports the bounds of stacks. */
#include "ports/c/kernel.h"

int stack_find(uint64_t address, uint64_t *low, uint64_t *high)
{
    uint64_t thread = (address - 1 - (uint64_t)thread_stacks) / STACK_SIZE;

    if (address > (uint64_t)boot_stack && address <= (uint64_t)boot_stack_end) {
        *low = (uint64_t)boot_stack;
        *high = (uint64_t)boot_stack_end;
        return 1;
    }
    *low = (uint64_t)thread_stacks[thread % ALL_THREADS];
    *high = *low + STACK_SIZE;
    return thread < ALL_THREADS;
}

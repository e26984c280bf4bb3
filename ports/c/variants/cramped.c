/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's timer comes where almost nothing of the stack is left. Linked in front of
 * pitot_tick and stack_find (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

static int in_tick;

void __wrap_pitot_tick(const void *frame);
void __real_pitot_tick(const void *frame);
int __wrap_stack_find(uint64_t address, uint64_t *low, uint64_t *high);
int __real_stack_find(uint64_t address, uint64_t *low, uint64_t *high);

void __wrap_pitot_tick(const void *frame)
{
    in_tick = 1;
    __real_pitot_tick(frame);
    in_tick = 0;
}

int __wrap_stack_find(uint64_t address, uint64_t *low, uint64_t *high)
{
    int found = __real_stack_find(address, low, high);

    if (in_tick)
        *low = address - PITOT_SAMPLE_STACK + 64;
    return found;
}

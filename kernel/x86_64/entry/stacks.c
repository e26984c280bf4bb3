/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks. Any context: an entry is constant, or written before its stack is used. */
#include "kernel/x86_64/entry/stacks.h"

#include <stddef.h>

#define STACK(text, pages)                                                                         \
    {                                                                                              \
        .name = text, .guard = (uintptr_t)(pages).guard, .low = (uintptr_t)(pages).bytes,          \
        .high = (uintptr_t)(pages).bytes + STACK_SIZE                                              \
    }

__attribute__((section(".bss.stacks"), aligned(4096))) struct stack_pages stack_task;
__attribute__((section(".bss.nowatch_stacks"),
               aligned(4096))) struct stack_pages stack_ist[IST_COUNT];

struct arch_stack stack_slots[STACK_SLOTS];

static const struct arch_stack task = STACK("task", stack_task);

static const struct arch_stack of_boot_cpu[IST_COUNT] = {
    [IST_DEBUG - 1] = STACK("debug trap", stack_ist[IST_DEBUG - 1]),
    [IST_NMI - 1] = STACK("NMI", stack_ist[IST_NMI - 1]),
    [IST_EXCEPTION - 1] = STACK("exception", stack_ist[IST_EXCEPTION - 1]),
    [IST_INTERRUPT - 1] = STACK("interrupt", stack_ist[IST_INTERRUPT - 1]),
    [IST_DOUBLE_FAULT - 1] = STACK("double fault", stack_ist[IST_DOUBLE_FAULT - 1]),
    [IST_MACHINE_CHECK - 1] = STACK("machine check", stack_ist[IST_MACHINE_CHECK - 1]),
};

const struct arch_stack *stack_of_cpu(unsigned cpu, unsigned i)
{
    return cpu == 0 ? &of_boot_cpu[i] : &stack_slots[STACK_SLOT_CPU(cpu, i)];
}

const void *arch_frame_stacks(const void **end)
{
    *end = (const void *)STACK_SLOT(STACK_SLOTS);
    return (const void *)STACK_SLOT(STACK_SLOTS_OF_CPUS);
}

/* The top counts as inside: an empty stack's pointer, though also the start of the next guard. */
static const struct arch_stack *stack_in_slot(uintptr_t address)
{
    size_t slot = (address - 1 - STACK_SLOTS_BASE) / sizeof(struct stack_pages);

    if (slot >= STACK_SLOTS || stack_slots[slot].high == 0)
        return NULL;
    return &stack_slots[slot];
}

static bool stack_has(const struct arch_stack *stack, uintptr_t address)
{
    return address > stack->guard && address <= stack->high;
}

const struct arch_stack *arch_stack_find(uintptr_t address)
{
    if (stack_has(&task, address))
        return &task;
    for (unsigned i = 0; i < IST_COUNT; i++)
        if (stack_has(&of_boot_cpu[i], address))
            return &of_boot_cpu[i];
    return stack_in_slot(address);
}

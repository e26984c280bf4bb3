/* SPDX-License-Identifier: BSD-2-Clause */
/* Which memory is a stack. Constant, so that any context may ask. */
#include "arch/x86_64/stacks.h"

#include "arch/arch.h"

#define STACK(text, pages)                                                                         \
    {                                                                                              \
        .name = text, .guard = (uintptr_t)(pages).guard, .low = (uintptr_t)(pages).bytes,          \
        .high = (uintptr_t)(pages).bytes + STACK_SIZE                                              \
    }

static const struct arch_stack stacks[] = {
    STACK("task", stack_task),
    STACK("debug trap", stack_ist[IST_DEBUG - 1]),
    STACK("NMI", stack_ist[IST_NMI - 1]),
    STACK("exception", stack_ist[IST_EXCEPTION - 1]),
    STACK("interrupt", stack_ist[IST_INTERRUPT - 1]),
    STACK("double fault", stack_ist[IST_DOUBLE_FAULT - 1]),
    STACK("machine check", stack_ist[IST_MACHINE_CHECK - 1]),
};

const struct arch_stack *arch_stack_find(uintptr_t address)
{
    /* An empty stack's pointer is its top, which is the next one's guard: hence > and <=. */
    for (unsigned i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
        if (address > stacks[i].guard && address <= stacks[i].high)
            return &stacks[i];
    return NULL;
}

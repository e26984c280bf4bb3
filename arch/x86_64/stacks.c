/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which memory is a stack. Any context may ask: what belongs to the CPU is constant, and a thread's
 * entry is written before its stack is used and stays as it is until its next owner.
 */
#include "arch/x86_64/stacks.h"

#include "arch/arch.h"
#include "arch/x86_64/check.h"

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

/* All zero until the stack has its first owner. */
static struct arch_stack thread_stacks[ARCH_THREAD_STACKS];

const struct arch_stack *arch_thread_stack(unsigned number, const char *name)
{
    const struct stack_pages *pages = &stack_threads[number];

    arch_check(number < ARCH_THREAD_STACKS);
    thread_stacks[number] = (struct arch_stack){.thread = name,
                                                .guard = (uintptr_t)pages->guard,
                                                .low = (uintptr_t)pages->bytes,
                                                .high = stack_top(pages)};
    return &thread_stacks[number];
}

/* The top counts as inside, as below. */
static const struct arch_stack *stack_of_thread(uintptr_t address)
{
    size_t number = (address - 1 - (uintptr_t)stack_threads) / sizeof(struct stack_pages);

    if (number >= ARCH_THREAD_STACKS || thread_stacks[number].high == 0)
        return NULL;
    return &thread_stacks[number];
}

const struct arch_stack *arch_stack_find(uintptr_t address)
{
    /* An empty stack's pointer is its top, which is the next one's guard: hence > and <=. */
    for (unsigned i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
        if (address > stacks[i].guard && address <= stacks[i].high)
            return &stacks[i];
    return stack_of_thread(address);
}

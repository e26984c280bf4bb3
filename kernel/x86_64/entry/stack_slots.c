/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps stacks of threads and of all CPUs but the boot CPU for a slot's first owner. Task context.
 */
#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/memory/paging.h"

static size_t pages; /* [A] result of arch_stack_pages */

/* If memory runs out, the slot's next owner maps the rest. */
static bool slot_map(uintptr_t low)
{
    for (uintptr_t page = low; page < low + STACK_SIZE; page += PAGE_SIZE) {
        if (arch_mapped(page, 1))
            continue;
        if (!paging_add_page(page))
            return false;
        __atomic_fetch_add(&pages, 1, __ATOMIC_RELAXED);
    }
    return true;
}

size_t arch_stack_pages(void)
{
    return __atomic_load_n(&pages, __ATOMIC_RELAXED);
}

static bool stack_slot_make(unsigned slot, const char *name, const char *thread)
{
    uintptr_t guard = STACK_SLOT(slot), low = guard + STACK_GUARD;

    arch_check(slot < STACK_SLOTS);
    if (!slot_map(low))
        return false;
    stack_slots[slot] = (struct arch_stack){
        .name = name, .thread = thread, .guard = guard, .low = low, .high = low + STACK_SIZE};
    return true;
}

const struct arch_stack *arch_thread_stack(unsigned number, const char *name)
{
    arch_check(number < ARCH_THREAD_STACKS);
    return stack_slot_make(number, NULL, name) ? &stack_slots[number] : NULL;
}

bool stacks_make(unsigned cpu)
{
    for (unsigned i = 0; i < IST_COUNT; i++)
        if (!stack_slot_make(STACK_SLOT_CPU(cpu, i), stack_of_cpu(0, i)->name, NULL))
            return false;
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that must not be watched, because trap entries touch it while watches are armed
 * (docs/kernel.md). For the arbiter; any context. Where Pitot is embedded, arch/embed/forbidden.c
 * replaces this file.
 */
#include "arch/watch.h"
#include "arch/x86_64/entry/stacks.h"
#include "arch/x86_64/memory/sections.h"

static bool overlaps(uintptr_t address, size_t length, const void *start, const void *end)
{
    return address < (uintptr_t)end && address + length > (uintptr_t)start;
}

const char *arch_watch_forbidden(uintptr_t address, size_t length)
{
    if (overlaps(address, length, nowatch_text_start, nowatch_text_end))
        return "the trap entry code";
    if (overlaps(address, length, nowatch_data_start, nowatch_data_end))
        return "the descriptor tables and the CPU's own area, which trap entries use";
    if (overlaps(address, length, nowatch_stacks_start, nowatch_stacks_end) ||
        overlaps(address, length, (const void *)STACK_SLOT(STACK_SLOTS_OF_CPUS),
                 (const void *)STACK_SLOT(STACK_SLOTS)))
        return "the stacks that the CPU pushes trap frames on";
    return NULL;
}

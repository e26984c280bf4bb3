/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that must not be watched in another kernel: Pitot's debug trap gate and its stacks, the
 * kernel's own gate and stacks if the kernel has named them, and the data that pitot_debug_trap
 * accesses while watches are armed. For the arbiter; any context.
 */
#include "arch/embed.h"
#include "arch/watch.h"
#include "arch/x86_64/memory/sections.h"
#include "core/pitot.h"

static bool overlaps(uintptr_t address, size_t length, const void *start, const void *end)
{
    return address < (uintptr_t)end && address + length > (uintptr_t)start;
}

const char *arch_watch_forbidden(uintptr_t address, size_t length)
{
    const struct pitot_kernel *kernel = arch_embed_kernel();

    if (overlaps(address, length, nowatch_text_start, nowatch_text_end) ||
        overlaps(address, length, kernel->gate, kernel->gate_end))
        return "the code of the debug trap's gate";
    if (overlaps(address, length, nowatch_stacks_start, nowatch_stacks_end) ||
        overlaps(address, length, kernel->gate_stack, kernel->gate_stack_end))
        return "the stack of the debug trap's gate";
    if (overlaps(address, length, nowatch_data_start, nowatch_data_end))
        return "the CPU's own area";
    return NULL;
}

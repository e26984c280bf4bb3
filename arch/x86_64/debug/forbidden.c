/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that trap entries touch while watches are armed (docs/kernel.md). Any context. */
#include "arch/watch.h"
#include "arch/x86_64/entry/stacks.h"
#include "arch/x86_64/memory/sections.h"

const char *arch_watch_forbidden(uintptr_t address, size_t length)
{
    if (section_overlaps(nowatch_text_start, nowatch_text_end, address, length))
        return "the trap entry code";
    if (section_overlaps(nowatch_data_start, nowatch_data_end, address, length))
        return "the descriptor tables and the CPU's own area, which trap entries use";
    if (section_overlaps(nowatch_stacks_start, nowatch_stacks_end, address, length) ||
        section_overlaps((const void *)STACK_SLOT(STACK_SLOTS_OF_CPUS),
                         (const void *)STACK_SLOT(STACK_SLOTS), address, length))
        return "the stacks that the CPU pushes trap frames on";
    return NULL;
}

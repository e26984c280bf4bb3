/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that trap entries touch while watches are armed (docs/kernel.md). Any context. */
#include "arch/watch.h"
#include "arch/x86_64/memory/sections.h"
#include "core/host.h"

const char *arch_watch_forbidden(uintptr_t address, size_t length)
{
    if (section_overlaps(nowatch_text_start, nowatch_text_end, address, length) ||
        section_overlaps(host.gate, host.gate_end, address, length))
        return "the trap entry code";
    if (section_overlaps(nowatch_stacks_start, nowatch_stacks_end, address, length) ||
        section_overlaps(host.gate_stack, host.gate_stack_end, address, length))
        return "the stacks that the CPU pushes trap frames on";
    if (section_overlaps(nowatch_data_start, nowatch_data_end, address, length))
        return "the CPU's own area and the descriptor tables, which trap entries use";
    return NULL;
}

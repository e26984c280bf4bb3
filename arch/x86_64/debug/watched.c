/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may not be watched; the watched bytes, and what accessed them. Debug trap; cannot fault.
 */
#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/accessor.h"
#include "arch/x86_64/memory/sections.h"
#include "core/host.h"

static struct insn_map insn_map; /* set at boot */

const volatile uint64_t *arch_watch_word(const struct arch_watch *watch)
{
    static const uint64_t nothing;

    if (watch->access == ARCH_EXECUTE || arch_of_programs(watch->address) ||
        !arch_readable(watch->address, watch->length))
        return &nothing;
    return (const volatile uint64_t *)(watch->address & ~(sizeof(uint64_t) - 1));
}

const char *arch_accessor_init(void)
{
    const struct insn_map_expected expected = {
        .build_id = arch_build_id(), .text = arch_text_start(), .text_end = arch_text_end()};

    return insn_map_open(&insn_map, insn_map_start,
                         (uintptr_t)insn_map_end - (uintptr_t)insn_map_start, &expected);
}

/*
 * Only programs access their memory, and the map does not have their instructions. The kernel may
 * not read that memory, whatever cs `regs` has: the trap may come after `syscall` (debug_trap).
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch)
{
    if (arch_of_programs(watch->address) && watch->access != ARCH_EXECUTE)
        return (struct arch_accessor){0, ARCH_FOUND_NOT};
    return accessor_find(&insn_map, regs, watch);
}

/*
 * ip may be anywhere if the access read the target of a call or a return. If a later iteration
 * faults, QEMU delivers the fault first: ip is then the first instruction of its entry.
 */
bool arch_watch_repeats_at(const struct regs *regs)
{
    uintptr_t start = regs->ip - ARCH_REPEAT_AROUND;

    if (arch_of_programs(start) || start > regs->ip || nowatch_text_has(regs->ip) ||
        !arch_readable(start, 2 * ARCH_REPEAT_AROUND))
        return true;
    return arch_watch_repeats((const uint8_t *)start);
}

unsigned arch_watch_candidates(const struct regs *regs, const struct arch_watch *watch,
                               struct arch_candidate candidates[ARCH_CANDIDATES_MAX])
{
    if (watch->access == ARCH_EXECUTE || arch_of_programs(watch->address))
        return 0;
    return accessor_candidates(&insn_map, regs, watch, candidates);
}

/* Memory that trap entries touch while watches are armed (docs/kernel.md). Any context. */
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

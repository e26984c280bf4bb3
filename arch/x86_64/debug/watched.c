/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the watched bytes, and finds the instruction that has accessed them: for code that serves a
 * hit, on the debug trap's stack page, and for a debugger's step (stop_step.c), which compares the
 * bytes before and after. Cannot fault.
 */
#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/space.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/debug/accessor.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/memory/sections.h"
#include "arch/x86_64/memory/space.h"

static struct insn_map insn_map; /* set at boot */

const volatile uint64_t *arch_watch_word(const struct arch_watch *watch)
{
    static const uint64_t nothing;

    if (watch->access == ARCH_EXECUTE || watch->address < ARCH_USER_END ||
        !arch_readable(watch->address, watch->length))
        return &nothing;
    return (const volatile uint64_t *)(watch->address & ~(sizeof(uint64_t) - 1));
}

/* A program's word is that of the process that the CPU is in; 0 if it is not mapped there. */
static uint64_t word_on(unsigned cpu, const struct arch_watch *watch)
{
    const struct arch_space *space = space_of_cpu(cpu);
    uint64_t word = 0;

    if (watch->address >= ARCH_USER_END)
        return *arch_watch_word(watch);
    if (!space || !arch_user_read(space, watch->address & ~(sizeof(word) - 1), &word, sizeof(word)))
        return 0;
    return word;
}

static bool is_watched(unsigned cpu, unsigned i)
{
    return percpu[cpu].live & 1u << i && debugreg.watches[i].access != ARCH_EXECUTE;
}

void debugreg_read_data(unsigned cpu, uint64_t words[ARCH_WATCHES])
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        words[i] = is_watched(cpu, i) ? word_on(cpu, &debugreg.watches[i]) : 0;
}

/* Compares only the watched bytes: the rest of the word may have changed as well. */
unsigned debugreg_changed_data(const uint64_t words[ARCH_WATCHES])
{
    unsigned changed = 0;

    for (unsigned i = 0; i < ARCH_WATCHES; i++) {
        const struct arch_watch *watch = &debugreg.watches[i];
        uint64_t difference;

        if (!is_watched(arch_cpu_id(), i))
            continue;
        difference = words[i] ^ word_on(arch_cpu_id(), watch);
        difference >>= 8 * (watch->address % sizeof(uint64_t));
        difference <<= 64 - 8 * watch->length;
        if (difference)
            changed |= 1u << i;
    }
    return changed;
}

const char *arch_accessor_init(void)
{
    const struct insn_map_expected expected = {
        .build_id = arch_build_id(), .text = arch_text_start(), .text_end = arch_text_end()};

    return insn_map_open(&insn_map, insn_map_start,
                         (uintptr_t)insn_map_end - (uintptr_t)insn_map_start, &expected);
}

/*
 * A program's memory is accessed only by programs, whose instructions are not in the map. The
 * kernel may not read there, whatever cs the registers have: the trap may come after the program's
 * `syscall` (debug_is_at_entry).
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch)
{
    if (watch->address < ARCH_USER_END && watch->access != ARCH_EXECUTE)
        return (struct arch_accessor){0, ARCH_FOUND_NOT};
    return accessor_find(&insn_map, regs, watch);
}

/*
 * A trap may leave ip anywhere, if the access was of a pointer that a call or a return went by; and
 * if an iteration after the one that hit faults, QEMU delivers the fault first: then ip is the
 * first instruction of that handler's entry.
 */
bool arch_watch_repeats_at(const struct regs *regs)
{
    uintptr_t start = regs->ip - ARCH_REPEAT_AROUND;

    if (start < ARCH_USER_END || start > regs->ip ||
        (regs->ip >= (uintptr_t)nowatch_text_start && regs->ip < (uintptr_t)nowatch_text_end) ||
        !arch_readable(start, 2 * ARCH_REPEAT_AROUND))
        return true;
    return arch_watch_repeats((const uint8_t *)start);
}

unsigned arch_watch_ways(const struct regs *regs, const struct arch_watch *watch,
                         struct arch_way ways[ARCH_WAYS_MAX])
{
    if (watch->access == ARCH_EXECUTE || watch->address < ARCH_USER_END)
        return 0;
    ways[0].count = accessor_made(&insn_map, regs, watch, ways[0].made);
    return ways[0].count > 0;
}

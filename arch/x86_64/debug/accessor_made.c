/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See accessor.h. Finds the accesses of the instructions that may have raised a debug trap, for
 * core/breakpoint/share.c. Context as in accessor.c.
 */
#include "arch/x86_64/debug/accessor.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/x86_64/debug/report.h"

#define WORD sizeof(uint64_t)

struct trap {
    const struct regs *regs;
    const struct arch_watch *watch;
};

static struct arch_made access_of_word(uintptr_t address, bool writes)
{
    return (struct arch_made){
        .address = address, .size = WORD, .placed = true, .reads = !writes, .writes = writes};
}

static unsigned made_by_call(const struct regs *regs, struct arch_made made[ARCH_MADE_MAX],
                             uintptr_t instruction)
{
    struct operand_opcode opcode = operand_opcode(instruction);
    uintptr_t behind, operand;

    __builtin_memcpy(&behind, (const void *)regs->sp, sizeof(behind));
    operand = accessor_call_operand(regs, &opcode, behind);
    made[0] = access_of_word(regs->sp, true);
    if (!operand)
        return 1;
    made[1] = access_of_word(operand, false);
    return 2;
}

static unsigned made_by_way(const struct regs *regs, const struct accessor_way *way,
                            struct arch_made made[ARCH_MADE_MAX])
{
    if (way->found == ARCH_FOUND_CALL)
        return made_by_call(regs, made, way->ip);
    if (way->ip)
        return operand_made(way->ip, regs->ip, regs, made);
    made[0] = access_of_word(way->read, false);
    return 1;
}

static bool explains(const struct arch_watch *watch, const struct arch_candidate *candidate)
{
    for (unsigned i = 0; i < candidate->count; i++)
        if (report_explains_made(watch, &candidate->made[i]))
            return true;
    return false;
}

/*
 * If no access of a string instruction explains the report, its addresses are wrong, perhaps
 * because the processor has continued it; if it has only one access, that access still has the
 * right kind. Where reports may be wrong the addresses are right. Returns false if nothing is
 * known.
 */
static bool mend_string(const struct trap *trap, struct arch_candidate *candidate)
{
    if (arch_watch_groups())
        group_widen(candidate->made, candidate->count, trap->watch, trap->regs);
    if (arch_watch_reports_beside() || explains(trap->watch, candidate))
        return true;
    candidate->made[0].placed = false;
    return candidate->count == 1;
}

/*
 * A load that overwrites its address register leaves what it has read: it was where memory still
 * has that, unless another CPU has written there. Stores a candidate for each such place, and
 * returns their number; 0 if there is none, or no room.
 */
static unsigned find_loads(const struct trap *trap, uintptr_t instruction,
                           struct arch_candidate *candidates, unsigned room)
{
    const struct arch_watch *watch = trap->watch;
    uintptr_t first = report_first(watch), last = report_last(watch);
    unsigned count = 0;
    uint64_t value;
    size_t size = operand_loaded(instruction, trap->regs, &value);

    if (!size || arch_cpus() != 1 || !arch_readable(first, last + size - first))
        return 0;
    for (uintptr_t at = first; at <= last; at++) {
        struct arch_made made = {.address = at, .size = size, .placed = true, .reads = true};

        if (__builtin_memcmp((const void *)at, &value, size) != 0 ||
            !report_explains(watch, at, size, false))
            continue;
        if (count == room)
            return 0;
        operand_whole(&made, 1);
        candidates[count] = (struct arch_candidate){.made = {made}, .count = 1};
        count++;
    }
    return count;
}

/* Stores what this way may have accessed as 1 to `room` candidates; returns 0 if it is unknown. */
static unsigned candidates_of(const struct trap *trap, const struct accessor_way *way,
                              struct arch_candidate *candidates, unsigned room)
{
    struct arch_candidate candidate;
    unsigned loads = 0;

    candidate.count = made_by_way(trap->regs, way, candidate.made);
    operand_whole(candidate.made, candidate.count);
    if (!candidate.count || (way->found == ARCH_FOUND_STRING && !mend_string(trap, &candidate)))
        return 0;
    if (candidate.count == 1 && !candidate.made[0].placed && way->found == ARCH_FOUND_BEFORE)
        loads = find_loads(trap, way->ip, candidates, room);
    if (loads)
        return loads;
    *candidates = candidate;
    return 1;
}

/* A way that explains nothing was not taken, unless the report itself is wrong. */
unsigned accessor_candidates(const struct insn_map *map, const struct regs *regs,
                             const struct arch_watch *watch,
                             struct arch_candidate candidates[ARCH_CANDIDATES_MAX])
{
    const struct accessor_ways ways = accessor_ways(map, regs, watch);
    const struct trap trap = {regs, watch};
    unsigned kept = 0;

    if (ways.others || ways.count > ARCH_CANDIDATES_MAX)
        return 0;
    for (unsigned i = 0; i < ways.count; i++) {
        unsigned room = ARCH_CANDIDATES_MAX - kept - (ways.count - i - 1);
        unsigned count = candidates_of(&trap, &ways.way[i], &candidates[kept], room);

        if (!count)
            return 0;
        if (ways.count == 1 || explains(watch, &candidates[kept]))
            kept += count;
    }
    return kept;
}

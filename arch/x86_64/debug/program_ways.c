/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions of a program may have made the access that a debug trap reports
 * (arch_program_ways): each start is tried from which one would end at ip. Called by the arbiter,
 * by way of struct breakpoint_processes; in the debug trap. Cannot fault.
 */
#include "arch/cpu.h"
#include "arch/space.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/branch.h"
#include "arch/x86_64/debug/group.h"
#include "arch/x86_64/debug/operand.h"
#include "arch/x86_64/memory/space.h"

#define WORD sizeof(uint64_t)

/* What is collected. */
struct ways {
    const struct regs *regs;
    const struct arch_watch *watch;
    struct arch_way *way;
    unsigned count; /* more than ARCH_WAYS_MAX: there was no room for them all */
};

static bool may_hit(const struct arch_made *made, const struct arch_watch *watch)
{
    return arch_made_is_watched(made, watch->access) &&
           (!made->placed || arch_watch_touches(watch, made->may_address, made->may_size));
}

/* Takes it if it explains the hit. */
static void ways_add(struct ways *ways, const struct arch_way *way)
{
    bool explains = false;

    for (unsigned i = 0; i < way->count; i++)
        explains |= may_hit(&way->made[i], ways->watch);
    if (explains && ways->count++ < ARCH_WAYS_MAX)
        ways->way[ways->count - 1] = *way;
}

/* An instruction that begins there in a copy of the text, and ends at ip or stands there. */
static void ways_add_instruction(struct ways *ways, const uint8_t *instruction)
{
    const struct regs *regs = ways->regs;
    struct arch_way way;

    way.count = operand_made((uintptr_t)instruction, regs->ip, regs, way.made);
    if (way.count == 0) { /* it accesses something somewhere, once or twice */
        way.count = 2;
        way.made[0] = way.made[1] = (struct arch_made){.reads = true, .writes = true};
    }
    operand_whole(way.made, way.count);
    if (group_is_possible() && group_is_repeated(instruction))
        group_widen(way.made, way.count, ways->watch, regs);
    ways_add(ways, &way);
}

static struct arch_made access_of_word(uintptr_t address, bool writes)
{
    struct arch_made made = {
        .address = address, .size = WORD, .placed = true, .reads = !writes, .writes = writes};

    operand_whole(&made, 1);
    return made;
}

/* A call has pushed where to return to, and may have read its target anywhere. */
static void ways_add_call(struct ways *ways)
{
    const struct arch_way way = {.count = 2,
                                 .made = {access_of_word(ways->regs->sp, true), {.reads = true}}};

    if (arch_watch_touches(ways->watch, ways->regs->sp, WORD))
        ways_add(ways, &way);
}

/* A jump, a call or a return has read ip there. */
static void ways_add_target(struct ways *ways, uintptr_t address)
{
    const struct arch_way jump = {.count = 1, .made = {access_of_word(address, false)}};
    const struct arch_way call = {
        .count = 2, .made = {access_of_word(address, false), access_of_word(ways->regs->sp, true)}};

    ways_add(ways, &jump);
    ways_add(ways, &call);
}

static void ways_add_branches(struct ways *ways, const struct arch_space *space)
{
    uintptr_t first = ways->watch->address - (WORD - 1);
    uintptr_t end = ways->watch->address + ways->watch->length;
    uint64_t target;

    ways_add_call(ways);
    if (ways->watch->access != ARCH_READ_WRITE)
        return;
    for (uintptr_t at = first; at < end; at++)
        if (arch_user_read(space, at, &target, WORD) && target == ways->regs->ip)
            ways_add_target(ways, at);
}

/* In the kernel's entry the program's text is out of reach (docs/programs.md, on `mov ss`). */
unsigned arch_program_ways(const struct regs *regs, const struct arch_watch *watch,
                           struct arch_way way[ARCH_WAYS_MAX])
{
    const struct arch_space *space = space_of_cpu(arch_cpu_id());
    struct ways ways = {.regs = regs, .watch = watch, .way = way};
    uint8_t text[3 * BRANCH_BYTES] = {0}; /* zeros where there is none, and after what is read */
    const uint8_t *ip = text + BRANCH_BYTES;

    if (!regs_user_mode(regs) ||
        !arch_user_read(space, regs->ip - BRANCH_BYTES, text, BRANCH_BYTES))
        return 0;
    arch_user_read(space, regs->ip, text + BRANCH_BYTES, BRANCH_BYTES);
    for (unsigned length = 1; length <= BRANCH_BYTES; length++)
        if (operand_length(ip - length) == length)
            ways_add_instruction(&ways, ip - length);
    if (group_is_repeated(ip))
        ways_add_instruction(&ways, ip);
    ways_add_branches(&ways, space);
    return ways.count <= ARCH_WAYS_MAX ? ways.count : 0;
}

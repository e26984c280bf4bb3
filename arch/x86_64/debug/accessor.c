/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See accessor.h. A data breakpoint traps after the access, when ip is the next instruction to run:
 * the one after the accessing instruction, unless that was a jump, a call or a return, or repeats.
 * So all paths that can have led to ip are examined:
 *   before     the instruction that ends at ip accesses data and falls through
 *   string     a repeated string instruction begins or ends at ip, and has just passed the bytes
 *   call       a call whose return address is on top of the stack leads to ip, and its push, or
 *              the pointer that it read, is in the watched bytes
 *   elsewhere  a jump through memory or a return that read its target there, or an iretq
 * If exactly one path is possible, and it is not `elsewhere`, it is the answer (docs/unwinding.md).
 * arch/x86_64/debug/accessor_made.c asks which accesses were possible, on all paths.
 *
 * Runs in the debug trap, watches disarmed, without a lock. Cannot fault: reads only text, stacks,
 * mapped memory, and memory accessed just before. The address decides what memory it is, as
 * registers with the kernel's cs may hold a program's sp (docs/programs.md).
 */
#include "arch/x86_64/debug/accessor.h"

#include "arch/memory.h"
#include "arch/unwind.h"
#include "arch/x86_64/debug/operand.h"
#include "arch/x86_64/debug/report.h"

/* Traps come up to a cache line late (Intel SDM vol. 3, "Data Breakpoint Exception Condition"). */
#define STRING_PASSED 64

#define CALL_REL32 0xe8
#define GROUP_5    0xff
#define CALL_NEAR  2 /* in group 5 */

/* Returns rsp before the call that may have led here. */
static uint64_t sp_before_call(const struct regs *regs)
{
    return regs->sp + sizeof(uint64_t);
}

static uint64_t load(uintptr_t address)
{
    uint64_t value;

    __builtin_memcpy(&value, (const void *)address, sizeof(value));
    return value;
}

static bool call_reads(const uint8_t *at)
{
    return at[0] == GROUP_5 && (at[1] >> 3 & 7) == CALL_NEAR && at[1] >> 6 != 3;
}

/* True if the call leads to regs->ip. `operand` is where it reads its target. */
static bool call_leads_here(const struct regs *regs, const struct operand_opcode *call,
                            uintptr_t behind, uintptr_t operand)
{
    const uint8_t *at = call->at;

    if (at[0] == CALL_REL32)
        return behind + operand_displacement(at + 1, sizeof(int32_t)) == regs->ip;
    if (call_reads(at))
        return arch_canonical(operand) && arch_readable(operand, sizeof(uint64_t)) &&
               load(operand) == regs->ip;
    return at[0] == GROUP_5 && (at[1] >> 3 & 7) == CALL_NEAR &&
           operand_register(regs, operand_base(at + 1, call->rex), sp_before_call(regs)) ==
               regs->ip;
}

static bool on_stack(uintptr_t address, uintptr_t size)
{
    const struct arch_stack *stack = arch_stack_find(address);

    return stack && address % sizeof(uint64_t) == 0 && address >= stack->low &&
           address <= stack->high - size;
}

/* True for any memory: code may use some as a stack that is none of the kernel's. */
static bool can_be_top(uintptr_t sp)
{
    return on_stack(sp, sizeof(uint64_t)) ||
           (!arch_of_programs(sp) && arch_readable(sp, sizeof(uint64_t)));
}

/* Returns the call before the return address on top of the stack; 0 if there is none. */
static uintptr_t call_before(const struct insn_map *map, const struct regs *regs, uintptr_t *behind)
{
    uintptr_t call;

    if (!can_be_top(regs->sp))
        return 0;
    *behind = load(regs->sp);
    call = insn_map_before(map, *behind);
    return call && insn_map_is_call(map, call) ? call : 0;
}

uintptr_t accessor_call_operand(const struct regs *regs, const struct operand_opcode *call,
                                uintptr_t behind)
{
    return call_reads(call->at)
               ? operand_address(regs, call->at + 1, call->rex, behind, sp_before_call(regs))
               : 0;
}

/*
 * Returns the call that led to regs->ip and touched the watched bytes; 0 if none did. Registers may
 * have changed, so the operand's address may be wrong: it is read last, and only if it can matter.
 */
static uintptr_t find_call(const struct insn_map *map, const struct regs *regs,
                           const struct arch_watch *watch)
{
    uintptr_t behind, call = call_before(map, regs, &behind), operand;
    struct operand_opcode opcode;

    if (!call)
        return 0;
    opcode = operand_opcode(call);
    operand = accessor_call_operand(regs, &opcode, behind);
    if (!report_explains(watch, regs->sp, sizeof(uint64_t), true) &&
        !(operand && report_explains(watch, operand, sizeof(uint64_t), false)))
        return 0;
    return call_leads_here(regs, &opcode, behind, operand) ? call : 0;
}

/*
 * Returns how far the pointers may have moved. QEMU leaves an unfinished instruction only where one
 * more iteration would make the count a multiple of the group size.
 */
static uintptr_t reach(const struct regs *regs, uintptr_t instruction)
{
    bool left = regs->cx > 1 && regs->cx % GROUP_MOST == 1;

    return arch_watch_groups() && (instruction != regs->ip || left) ? GROUP_REACH : STRING_PASSED;
}

static bool has_passed(const struct regs *regs, const struct arch_watch *watch, uintptr_t pointer,
                       uintptr_t passed)
{
    return arch_watch_touches(watch, regs->flags & FLAGS_DIRECTION ? pointer + 1 : pointer - passed,
                              passed);
}

/* On machines that trap after each iteration, but not always for an access that touches a watch. */
static bool iteration_explains(const struct regs *regs, const struct arch_watch *watch,
                               uintptr_t instruction)
{
    struct arch_made made[ARCH_MADE_MAX];
    unsigned count = operand_made(instruction, regs->ip, regs, made);

    operand_whole(made, count);
    for (unsigned i = 0; i < count; i++)
        if (report_explains_made(watch, &made[i]))
            return true;
    return false;
}

/* True if an access at rsi or rdi explains the hit. */
static bool string_explains(const struct regs *regs, const struct arch_watch *watch,
                            uintptr_t instruction)
{
    unsigned string = operand_string[*operand_opcode(instruction).at];
    uintptr_t passed = reach(regs, instruction);

    if (watch->access != ARCH_READ_WRITE)
        string &= STRING_WRITES_DI;
    if (arch_watch_reports_beside())
        return iteration_explains(regs, watch, instruction);
    return (string & (STRING_READS_DI | STRING_WRITES_DI) &&
            has_passed(regs, watch, regs->di, passed)) ||
           (string & STRING_READS_SI && has_passed(regs, watch, regs->si, passed));
}

static void note(struct accessor_ways *ways, uintptr_t ip, enum arch_found found, uintptr_t read)
{
    if (ways->count < ARCH_CANDIDATES_MAX)
        ways->way[ways->count] = (struct accessor_way){ip, found, read};
    ways->count++;
}

/* True if `iretq` or `retfq` may have popped ip there. */
static bool may_be_frame(const struct regs *regs, uintptr_t address)
{
    return on_stack(address, 2 * sizeof(uint64_t)) && load(address + 8) == regs->cs;
}

/* A jump or a return may have read ip from any word that explains the report and holds it. */
static void note_targets(const struct regs *regs, const struct arch_watch *watch,
                         struct accessor_ways *ways)
{
    uintptr_t page = watch->address & ~(PAGE_SIZE - 1);
    uintptr_t at = report_first(watch), last = report_last(watch);

    if (!arch_readable(page, PAGE_SIZE))
        return;
    if (at < page)
        at = page;
    if (last > page + PAGE_SIZE - sizeof(uint64_t))
        last = page + PAGE_SIZE - sizeof(uint64_t);
    for (; at <= last; at++)
        if (load(at) == regs->ip && report_explains(watch, at, sizeof(uint64_t), false)) {
            note(ways, 0, ARCH_FOUND_NOT, at);
            ways->others |= may_be_frame(regs, at);
        }
}

/* True if the watched bytes come after the ip in a frame that `iretq` or `retfq` has popped. */
static bool frame_is_left(const struct regs *regs, const struct arch_watch *watch)
{
    uintptr_t word = watch->address & ~(sizeof(uint64_t) - 1);

    for (unsigned i = 1; i <= 4; i++) {
        uintptr_t frame = word - i * sizeof(uint64_t);

        if (on_stack(frame, 2 * sizeof(uint64_t)) && load(frame) == regs->ip &&
            load(frame + 8) == regs->cs &&
            (i == 1 || (on_stack(frame, 4 * sizeof(uint64_t)) && load(frame + 24) == regs->sp)))
            return true;
    }
    return false;
}

/* Does not check which bytes the instruction before ip has accessed. */
struct accessor_ways accessor_ways(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch)
{
    uintptr_t before = insn_map_before(map, regs->ip), call;
    struct accessor_ways ways = {.count = 0};

    if (map->text_size == 0 || !regs_are_full(regs))
        return ways;
    if (before && insn_map_code(map, before) == INSN_ACCESS)
        note(&ways, before, ARCH_FOUND_BEFORE, 0);
    else if (before && insn_map_is_repeated(map, before) && string_explains(regs, watch, before))
        note(&ways, before, ARCH_FOUND_STRING, 0);
    if (insn_map_is_repeated(map, regs->ip) && string_explains(regs, watch, regs->ip))
        note(&ways, regs->ip, ARCH_FOUND_STRING, 0);
    call = find_call(map, regs, watch);
    if (call)
        note(&ways, call, ARCH_FOUND_CALL, 0);
    if (watch->access != ARCH_READ_WRITE)
        return ways;
    if (!call)
        note_targets(regs, watch, &ways);
    /* An instruction that the map does not have may end at ip. */
    ways.others |= (!before && !call) || frame_is_left(regs, watch);
    return ways;
}

/* True if the instruction's accesses are all known and elsewhere. */
static bool is_elsewhere(const struct regs *regs, const struct arch_watch *watch,
                         uintptr_t instruction)
{
    struct arch_made made[ARCH_MADE_MAX];
    unsigned count = operand_made(instruction, regs->ip, regs, made);

    for (unsigned i = 0; i < count; i++)
        if (!made[i].placed || arch_watch_touches(watch, made[i].address, made[i].size))
            return false;
    return count > 0;
}

/* Machines that report accesses beside a watch report each iteration of a string instruction. */
static bool may_be_elsewhere(enum arch_found found)
{
    return found == ARCH_FOUND_BEFORE ||
           (found == ARCH_FOUND_STRING && arch_watch_reports_beside());
}

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch)
{
    struct arch_accessor accessor = {0, ARCH_FOUND_NOT};
    struct accessor_ways ways;

    if (watch->access == ARCH_EXECUTE)
        return (struct arch_accessor){regs->ip, ARCH_FOUND_AT};
    ways = accessor_ways(map, regs, watch);
    if (ways.count != 1 || ways.others || !ways.way[0].ip)
        return accessor;
    if (may_be_elsewhere(ways.way[0].found) && is_elsewhere(regs, watch, ways.way[0].ip))
        return accessor;
    return (struct arch_accessor){ways.way[0].ip, ways.way[0].found};
}

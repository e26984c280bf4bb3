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
 *
 * Runs in the debug trap, watches disarmed, without a lock. Cannot fault: reads only text, stacks,
 * mapped memory, and memory accessed just before. The address decides what memory it is, as
 * registers with the kernel's cs may hold a program's sp (docs/programs.md).
 */
#include "arch/x86_64/debug/accessor.h"

#include "arch/memory.h"
#include "arch/unwind.h"
#include "arch/x86_64/debug/group.h"
#include "arch/x86_64/debug/operand.h"

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

/* Returns the call before the return address on top of the stack; 0 if there is none. */
static uintptr_t call_before(const struct insn_map *map, const struct regs *regs, uintptr_t *behind)
{
    uintptr_t call;

    if (!on_stack(regs->sp, sizeof(uint64_t)))
        return 0;
    *behind = load(regs->sp);
    call = insn_map_before(map, *behind);
    return call && insn_map_is_call(map, call) ? call : 0;
}

/* Returns where the call reads its target; 0 if not from memory. */
static uintptr_t call_operand(const struct regs *regs, const struct operand_opcode *call,
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
    operand = call_operand(regs, &opcode, behind);
    if (!arch_watch_touches(watch, regs->sp, sizeof(uint64_t)) &&
        !(operand && watch->access == ARCH_READ_WRITE &&
          arch_watch_touches(watch, operand, sizeof(uint64_t))))
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

    return group_is_possible() && (instruction != regs->ip || left) ? GROUP_REACH : STRING_PASSED;
}

static bool has_passed(const struct regs *regs, const struct arch_watch *watch, uintptr_t pointer,
                       uintptr_t passed)
{
    return arch_watch_touches(watch, regs->flags & FLAGS_DIRECTION ? pointer + 1 : pointer - passed,
                              passed);
}

/* True if an access at rsi or rdi explains the hit. */
static bool string_explains(const struct regs *regs, const struct arch_watch *watch,
                            uintptr_t instruction)
{
    unsigned string = operand_string[*operand_opcode(instruction).at];
    uintptr_t passed = reach(regs, instruction);

    if (watch->access != ARCH_READ_WRITE)
        string &= STRING_WRITES_DI;
    return (string & (STRING_READS_DI | STRING_WRITES_DI) &&
            has_passed(regs, watch, regs->di, passed)) ||
           (string & STRING_READS_SI && has_passed(regs, watch, regs->si, passed));
}

/* True if a word that overlaps the watched bytes holds ip: a jump or return may have read it. */
static bool word_is_ip(const struct regs *regs, const struct arch_watch *watch)
{
    uintptr_t page = watch->address & ~(PAGE_SIZE - 1);
    uintptr_t at = watch->address - (sizeof(uint64_t) - 1);
    uintptr_t last = watch->address + watch->length - 1;

    if (!arch_readable(page, PAGE_SIZE))
        return false;
    if (at < page)
        at = page;
    if (last > page + PAGE_SIZE - sizeof(uint64_t))
        last = page + PAGE_SIZE - sizeof(uint64_t);
    for (; at <= last; at++)
        if (load(at) == regs->ip)
            return true;
    return false;
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

static void note(struct arch_accessor *accessor, unsigned *ways, uintptr_t ip,
                 enum arch_found found)
{
    if (!ip)
        return;
    *accessor = (struct arch_accessor){ip, found};
    ++*ways;
}

/* Does not check which bytes the instruction before ip has accessed (accessor_find does). */
static struct arch_accessor find(const struct insn_map *map, const struct regs *regs,
                                 const struct arch_watch *watch)
{
    struct arch_accessor accessor = {0, ARCH_FOUND_NOT};
    uintptr_t before = insn_map_before(map, regs->ip), call;
    unsigned ways = 0;

    if (watch->access == ARCH_EXECUTE)
        return (struct arch_accessor){regs->ip, ARCH_FOUND_AT};
    if (map->text_size == 0 || !regs_are_full(regs))
        return accessor;
    if (before && insn_map_code(map, before) == INSN_ACCESS)
        note(&accessor, &ways, before, ARCH_FOUND_BEFORE);
    else if (before && insn_map_is_repeated(map, before) && string_explains(regs, watch, before))
        note(&accessor, &ways, before, ARCH_FOUND_STRING);
    if (insn_map_is_repeated(map, regs->ip) && string_explains(regs, watch, regs->ip))
        note(&accessor, &ways, regs->ip, ARCH_FOUND_STRING);
    call = find_call(map, regs, watch);
    note(&accessor, &ways, call, ARCH_FOUND_CALL);
    if (watch->access == ARCH_READ_WRITE)
        ways += (!call && word_is_ip(regs, watch)) || frame_is_left(regs, watch);
    return ways == 1 ? accessor : (struct arch_accessor){0, ARCH_FOUND_NOT};
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

/*
 * QEMU 7.2 also reports unaligned accesses to watches next to the accessed bytes
 * (docs/breakpoints.md).
 */
struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch)
{
    struct arch_accessor accessor = find(map, regs, watch);

    if (accessor.found == ARCH_FOUND_BEFORE && is_elsewhere(regs, watch, accessor.ip))
        return (struct arch_accessor){0, ARCH_FOUND_NOT};
    return accessor;
}

static unsigned made_by_call(const struct regs *regs, struct arch_made made[ARCH_MADE_MAX],
                             uintptr_t instruction, uintptr_t behind)
{
    struct operand_opcode opcode = operand_opcode(instruction);
    uintptr_t operand = call_operand(regs, &opcode, behind);

    made[0] = (struct arch_made){
        .address = regs->sp, .size = sizeof(uint64_t), .placed = true, .writes = true};
    if (!operand)
        return 1;
    made[1] = (struct arch_made){
        .address = operand, .size = sizeof(uint64_t), .placed = true, .reads = true};
    return 2;
}

/*
 * Returns how many accesses to report. If no access of a string instruction touches the watched
 * bytes, its addresses are wrong, perhaps because the processor has continued it; if it has only
 * one access, that access still has the right kind. After ARCH_FOUND_BEFORE it is the trap's report
 * that is wrong (accessor_find).
 */
static unsigned made_that_hit(const struct arch_watch *watch, struct arch_made made[ARCH_MADE_MAX],
                              unsigned count, enum arch_found found)
{
    if (found == ARCH_FOUND_BEFORE)
        return count;
    for (unsigned i = 0; i < count; i++)
        if (!made[i].placed || arch_watch_touches(watch, made[i].may_address, made[i].may_size))
            return count;
    if (count > 1)
        return 0;
    made[0].placed = false;
    return count;
}

unsigned accessor_made(const struct insn_map *map, const struct regs *regs,
                       const struct arch_watch *watch, struct arch_made made[ARCH_MADE_MAX])
{
    struct arch_accessor accessor = find(map, regs, watch);
    unsigned count;

    switch (accessor.found) {
    case ARCH_FOUND_BEFORE:
    case ARCH_FOUND_STRING:
        count = operand_made(accessor.ip, regs->ip, regs, made);
        break;
    case ARCH_FOUND_CALL:
        count = made_by_call(regs, made, accessor.ip, load(regs->sp));
        break;
    default:
        return 0;
    }
    operand_whole(made, count);
    if (accessor.found == ARCH_FOUND_STRING && group_is_possible())
        group_widen(made, count, watch, regs);
    return made_that_hit(watch, made, count, accessor.found);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See accessor.h. A data breakpoint traps when the access is over, so ip is what runs next: the
 * byte behind the accessing instruction, unless that was a jump, a call or a return, or will be
 * repeated. Every way that can have led to ip with an access on it is looked at:
 *
 *   before     the instruction that ends at ip accesses data and goes on there
 *   string     a repeated string instruction stands or ends at ip, and has just passed the bytes
 *   call       a call whose return address is on top of the stack leads to ip, and its push, or
 *              the pointer that it went by, is in the watched bytes
 *   elsewhere  a jump through memory or a return that read its target there, an iretq
 *
 * One way possible: that is the answer, if it is not the last. Two, or none: nobody can tell.
 *
 * In the debug trap, watches disarmed. No lock; nothing is read but text, stacks, what is mapped
 * and what was accessed just before, so no fault. What an address is, is told from the address:
 * registers with the kernel's cs may hold a program's sp (docs/user.md). docs/insn-map.md.
 */
#include "arch/x86_64/accessor.h"

#define PREFIXES_MAX 14

/*
 * How far behind the address that it has come to a string instruction may have made its access:
 * processors that move a line at once tell of it when the line is done (Intel SDM vol. 3, "Data
 * Breakpoint Exception Condition", "Fast-String Operation").
 */
#define STRING_PASSED 64

#define REX        0x40
#define REX_MASK   0xf0
#define REX_BASE   1
#define REX_INDEX  2
#define CALL_REL32 0xe8
#define GROUP_5    0xff
#define CALL_NEAR  2 /* in group 5 */

/* By the numbers that instructions have for them. */
static const uint8_t register_places[16] = {
    offsetof(struct regs, ax),  offsetof(struct regs, cx),  offsetof(struct regs, dx),
    offsetof(struct regs, bx),  offsetof(struct regs, sp),  offsetof(struct regs, bp),
    offsetof(struct regs, si),  offsetof(struct regs, di),  offsetof(struct regs, r8),
    offsetof(struct regs, r9),  offsetof(struct regs, r10), offsetof(struct regs, r11),
    offsetof(struct regs, r12), offsetof(struct regs, r13), offsetof(struct regs, r14),
    offsetof(struct regs, r15),
};

#define NUMBER_SP 4
#define NUMBER_BP 5

/* As before the call that may have led here. */
static uint64_t register_before_call(const struct regs *regs, unsigned number)
{
    uint64_t value = *(const uint64_t *)((const char *)regs + register_places[number]);

    return number == NUMBER_SP ? value + sizeof(uint64_t) : value;
}

static uint64_t load(uintptr_t address)
{
    uint64_t value;

    __builtin_memcpy(&value, (const void *)address, sizeof(value));
    return value;
}

static uintptr_t displacement(const uint8_t *bytes, unsigned size)
{
    int32_t wide;

    if (size == 1)
        return (uintptr_t)(intptr_t)(int8_t)*bytes;
    __builtin_memcpy(&wide, bytes, sizeof(wide));
    return (uintptr_t)(intptr_t)wide;
}

static bool touches(const struct arch_watch *watch, uintptr_t start, uintptr_t size)
{
    return watch->address - start < size || start - watch->address < watch->length;
}

static bool is_legacy_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                       0x66, 0x67, 0xf0, 0xf2, 0xf3};

    for (unsigned i = 0; i < sizeof(prefixes); i++)
        if (byte == prefixes[i])
            return true;
    return false;
}

/* Behind all prefixes; *rex is the last of them if it is one, else 0. */
static const uint8_t *find_opcode(uintptr_t instruction, uint8_t *rex)
{
    const uint8_t *at = (const uint8_t *)instruction;

    for (unsigned i = 0; i < PREFIXES_MAX && is_legacy_prefix(*at); i++)
        at++;
    *rex = (*at & REX_MASK) == REX ? *at++ : 0;
    return at;
}

/* --- A call. --- */

/*
 * Where the pointer lies that a call by memory reads, for the ModRM byte at `modrm` (Intel SDM vol.
 * 2, "ModR/M and SIB Bytes"). `behind` is the call's return address.
 */
static uintptr_t call_operand(const struct regs *regs, const uint8_t *modrm, uint8_t rex,
                              uintptr_t behind)
{
    unsigned mode = modrm[0] >> 6, base = modrm[0] & 7;
    const uint8_t *at = modrm + 1;
    uintptr_t address = 0;

    if (mode == 0 && base == NUMBER_BP)
        return behind + displacement(at, sizeof(int32_t));
    if (base == NUMBER_SP) {
        unsigned index = (at[0] >> 3 & 7) | (rex & REX_INDEX ? 8 : 0);

        if (index != NUMBER_SP)
            address = register_before_call(regs, index) << (at[0] >> 6);
        base = *at++ & 7;
    }
    if (mode == 0 && base == NUMBER_BP)
        return address + displacement(at, sizeof(int32_t));
    address += register_before_call(regs, base | (rex & REX_BASE ? 8 : 0));
    if (mode == 0)
        return address;
    return address + displacement(at, mode == 1 ? 1 : sizeof(int32_t));
}

/* A call by memory. `at` is its opcode, here and below. */
static bool call_reads(const uint8_t *at)
{
    return at[0] == GROUP_5 && (at[1] >> 3 & 7) == CALL_NEAR && at[1] >> 6 != 3;
}

/* True if the call leads to regs->ip; `operand` is what it reads to do so. */
static bool call_leads_here(const struct regs *regs, const uint8_t *at, uint8_t rex,
                            uintptr_t behind, uintptr_t operand)
{
    if (at[0] == CALL_REL32)
        return behind + displacement(at + 1, sizeof(int32_t)) == regs->ip;
    if (call_reads(at))
        return arch_canonical(operand) && arch_readable(operand, sizeof(uint64_t)) &&
               load(operand) == regs->ip;
    return at[0] == GROUP_5 && (at[1] >> 3 & 7) == CALL_NEAR &&
           register_before_call(regs, (at[1] & 7) | (rex & REX_BASE ? 8 : 0)) == regs->ip;
}

static bool on_stack(uintptr_t address, uintptr_t size)
{
    const struct arch_stack *stack = arch_stack_find(address);

    return stack && address % sizeof(uint64_t) == 0 && address >= stack->low &&
           address <= stack->high - size;
}

/*
 * The call that has just led to regs->ip and touched the watched bytes; 0: none. Its operand is
 * computed from registers that may have changed, so it is read last, if it can matter.
 */
static uintptr_t find_call(const struct insn_map *map, const struct regs *regs,
                           const struct arch_watch *watch)
{
    uintptr_t behind, call, operand = 0;
    const uint8_t *at;
    uint8_t rex;

    if (!on_stack(regs->sp, sizeof(uint64_t)))
        return 0;
    behind = load(regs->sp);
    call = insn_map_before(map, behind);
    if (!call || !insn_map_is_call(map, call))
        return 0;
    at = find_opcode(call, &rex);
    if (call_reads(at))
        operand = call_operand(regs, at + 1, rex, behind);
    if (!touches(watch, regs->sp, sizeof(uint64_t)) &&
        !(operand && watch->access == ARCH_READ_WRITE && touches(watch, operand, sizeof(uint64_t))))
        return 0;
    return call_leads_here(regs, at, rex, behind, operand) ? call : 0;
}

/* --- A repeated string instruction. --- */

static bool has_passed(const struct regs *regs, const struct arch_watch *watch, uintptr_t pointer)
{
    return touches(watch, regs->flags & FLAGS_DIRECTION ? pointer + 1 : pointer - STRING_PASSED,
                   STRING_PASSED);
}

/* What the instruction reads at rsi, and reads or writes at rdi. */
static bool string_explains(const struct regs *regs, const struct arch_watch *watch,
                            uintptr_t instruction)
{
    uint8_t rex, opcode = *find_opcode(instruction, &rex) & 0xfe; /* with the one for bytes */
    bool reads = watch->access == ARCH_READ_WRITE;

    switch (opcode) {
    case 0x6c: /* ins */
    case 0xaa: /* stos */
        return has_passed(regs, watch, regs->di);
    case 0xa4: /* movs */
        return has_passed(regs, watch, regs->di) || (reads && has_passed(regs, watch, regs->si));
    case 0x6e: /* outs */
    case 0xac: /* lods */
        return reads && has_passed(regs, watch, regs->si);
    case 0xa6: /* cmps */
        return reads && (has_passed(regs, watch, regs->di) || has_passed(regs, watch, regs->si));
    case 0xae: /* scas */
        return reads && has_passed(regs, watch, regs->di);
    default:
        return false;
    }
}

/* --- From elsewhere. --- */

/*
 * A word that touches the watched bytes is ip: a jump or a return may have read it; but from no
 * register of a device.
 */
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

/*
 * The watched bytes are in a frame that `iretq` (or `retfq`) has left, with this ip and sp. They
 * lie up to four words behind the frame's first.
 */
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

/* --- All together. --- */

static void note(struct arch_accessor *accessor, unsigned *ways, uintptr_t ip,
                 enum arch_found found)
{
    if (!ip)
        return;
    *accessor = (struct arch_accessor){ip, found};
    ++*ways;
}

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
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

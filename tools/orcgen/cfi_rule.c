/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See cfi.h. Registers have their DWARF numbers (System V ABI, "DWARF Register Number
 * Mapping").
 */
#include "tools/orcgen/cfi.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>

#include "arch/regs.h"

enum {
    RAX,
    RDX,
    RCX,
    RBX,
    RSI,
    RDI,
    RBP,
    RSP,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    RIP,
};

static const char *const register_names[] = {
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
};

/*
 * Registers that may be the base of the CFA: rsp, rbp, and those that a call may change. A rule
 * with one of the latter can apply where a trap occurred, but never at a call.
 */
#define BASES                                                                                      \
    (1u << RAX | 1u << RDX | 1u << RCX | 1u << RSI | 1u << RDI | 1u << RBP | 1u << RSP |           \
     1u << R8 | 1u << R9 | 1u << R10 | 1u << R11)

#define WORD 8

/*
 * Offsets from the CFA in the CPU's trap frame (Intel SDM vol. 3, "Stack Usage on Transfers to
 * Handlers").
 */
#define TRAP_IP (-40)
#define TRAP_SP (-16)

/* struct regs (arch/regs.h) ends at the CFA. These are the offsets of its registers. */
#define REGS_SIZE ((int)sizeof(struct regs))

static const int regs_offsets[] = {
    [RAX] = offsetof(struct regs, ax),  [RDX] = offsetof(struct regs, dx),
    [RCX] = offsetof(struct regs, cx),  [RBX] = offsetof(struct regs, bx),
    [RSI] = offsetof(struct regs, si),  [RDI] = offsetof(struct regs, di),
    [RBP] = offsetof(struct regs, bp),  [R8] = offsetof(struct regs, r8),
    [R9] = offsetof(struct regs, r9),   [R10] = offsetof(struct regs, r10),
    [R11] = offsetof(struct regs, r11), [R12] = offsetof(struct regs, r12),
    [R13] = offsetof(struct regs, r13), [R14] = offsetof(struct regs, r14),
    [R15] = offsetof(struct regs, r15),
};

/* Where the caller's value of a register is. */
enum place {
    PLACE_SAME,      /* in the register */
    PLACE_UNDEFINED, /* nowhere */
    PLACE_CFA,       /* the value is CFA + offset */
    PLACE_AT_CFA,    /* in memory, at CFA + offset */
    PLACE_AT_RBP,    /* in memory, at rbp + offset */
    PLACE_OTHER,
};

struct saved {
    enum place place;
    int64_t offset;
};

/* Describes an operation, by name if compilers use it. Returns the length like snprintf. */
static int describe_operation(char *words, size_t room, const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg0 + R15)
        return snprintf(words, room, " %s%+" PRId64, register_names[op->atom - DW_OP_breg0],
                        (int64_t)op->number);
    if (op->atom == DW_OP_bregx && op->number <= RIP)
        return snprintf(words, room, " %s%+" PRId64, register_names[op->number],
                        (int64_t)op->number2);
    if (op->atom == DW_OP_regx && op->number <= RIP)
        return snprintf(words, room, " %s", register_names[op->number]);
    if (op->atom == DW_OP_call_frame_cfa)
        return snprintf(words, room, " CFA");
    if (op->atom == DW_OP_plus_uconst)
        return snprintf(words, room, "%+" PRId64, (int64_t)op->number);
    if (op->atom == DW_OP_deref)
        return snprintf(words, room, " deref");
    return snprintf(words, room, " DW_OP %#x", op->atom);
}

/* Describes an expression, as in "CFA = rbp-8 deref". */
static void describe(struct cfi_shape *shape, const char *what, const Dwarf_Op *ops, size_t count)
{
    size_t length = (size_t)snprintf(shape->words, sizeof(shape->words), "%s =", what);

    for (size_t i = 0; i < count && length < sizeof(shape->words); i++)
        length += (size_t)describe_operation(shape->words + length, sizeof(shape->words) - length,
                                             &ops[i]);
}

static bool refuse(struct cfi_shape *shape, const char *wanted)
{
    shape->wanted = wanted;
    return false;
}

/* libdw returns "register plus offset" as bregx, and an expression as it is. */
static bool read_cfa(struct unwind_rule *rule, Dwarf_Frame *frame, struct cfi_shape *shape)
{
    static const char wanted[] =
        "the CFA must be rsp, rbp or a register that calls may change, "
        "plus an offset; or what is in memory at rsp or rbp plus an offset";
    Dwarf_Op *ops;
    size_t count;
    uint64_t base = UINT64_MAX;
    int64_t offset = 0;

    if (dwarf_frame_cfa(frame, &ops, &count) != 0) {
        describe(shape, "CFA", NULL, 0);
        return refuse(shape, dwarf_errmsg(-1));
    }
    describe(shape, "CFA", ops, count);
    if (count > 0 && ops[0].atom == DW_OP_bregx) {
        base = ops[0].number;
        offset = (int64_t)ops[0].number2;
    } else if (count > 0 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg0 + R15) {
        base = ops[0].atom - DW_OP_breg0;
        offset = (int64_t)ops[0].number;
    }
    rule->indirect = count == 2 && ops[1].atom == DW_OP_deref;
    if (count < 1 || count > (rule->indirect ? 2 : 1) || base > R15 || !(BASES >> base & 1) ||
        offset != (int32_t)offset || (rule->indirect && base != RSP && base != RBP))
        return refuse(shape, wanted);
    /*
     * The offset need not be a whole number of words: a leaf function may move rsp by less, as
     * clang's do at -O0.
     */
    if (base == RSP && !rule->indirect && offset < WORD)
        return refuse(shape, "the CFA must be above rsp, with room for the return address");
    rule->base = (uint8_t)base;
    rule->cfa_offset = (int32_t)offset;
    return true;
}

/*
 * No operations mean that the value is unchanged, or, if libdw returns a pointer for them,
 * undefined.
 */
static struct saved read_saved(Dwarf_Frame *frame, int number, struct cfi_shape *shape)
{
    struct saved saved = {.place = PLACE_OTHER};
    Dwarf_Op memory[3], *ops;
    size_t count, next = 1;
    bool value;

    snprintf(shape->words, sizeof(shape->words), "%s in no way known", register_names[number]);
    if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
        return saved;
    if (count == 0) {
        saved.place = ops ? PLACE_UNDEFINED : PLACE_SAME;
        snprintf(shape->words, sizeof(shape->words), "%s %s", register_names[number],
                 ops ? "undefined" : "unchanged");
        return saved;
    }
    describe(shape, register_names[number], ops, count);
    if (ops[0].atom != DW_OP_call_frame_cfa)
        return saved;
    saved.place = PLACE_AT_CFA;
    if (count > next && ops[next].atom == DW_OP_plus_uconst) {
        saved.offset = (int64_t)ops[next++].number;
    } else if (count > next && ops[next].atom == DW_OP_breg0 + RBP) {
        saved.offset = (int64_t)ops[next++].number;
        saved.place = PLACE_AT_RBP;
    }
    value = count > next && ops[next].atom == DW_OP_stack_value;
    if (value)
        saved.place = saved.place == PLACE_AT_CFA ? PLACE_CFA : PLACE_OTHER;
    if (count != next + value || saved.offset != (int32_t)saved.offset)
        saved.place = PLACE_OTHER;
    return saved;
}

static bool is_at(const struct saved *saved, enum place place, int64_t offset)
{
    return saved->place == place && saved->offset == offset;
}

/*
 * True if the register's slot is below sp, where memory is free: the register was popped and holds
 * its value again, even if the call frame information says otherwise (clang's, in epilogues).
 */
static bool is_popped(const struct unwind_rule *rule, int64_t offset)
{
    return rule->base == RSP && !rule->indirect && offset < -(int64_t)rule->cfa_offset;
}

static bool regs_are_whole(const struct unwind_rule *rule, Dwarf_Frame *frame)
{
    struct cfi_shape ignored = {0};

    if (is_popped(rule, -REGS_SIZE))
        return false;
    for (int number = RAX; number <= R15; number++) {
        struct saved saved = read_saved(frame, number, &ignored);
        if (number != RSP && !is_at(&saved, PLACE_AT_CFA, regs_offsets[number] - REGS_SIZE))
            return false;
    }
    return true;
}

static bool read_kind(struct unwind_rule *rule, Dwarf_Frame *frame, bool signal,
                      struct cfi_shape *shape)
{
    struct saved sp = read_saved(frame, RSP, shape);

    if (!signal && !is_at(&sp, PLACE_CFA, 0))
        return refuse(shape, "the caller's rsp must be the CFA");
    if (signal && !is_at(&sp, PLACE_AT_CFA, TRAP_SP))
        return refuse(shape, "the rsp that a trap interrupted must be saved at CFA-16");

    struct saved ip = read_saved(frame, RIP, shape);
    if (ip.place == PLACE_UNDEFINED)
        rule->kind = UNWIND_RULE_OUTERMOST;
    else if (signal && !is_at(&ip, PLACE_AT_CFA, TRAP_IP))
        return refuse(shape, "the rip that a trap interrupted must be saved at CFA-40");
    else if (!signal && !is_at(&ip, PLACE_AT_CFA, -WORD))
        return refuse(shape, "the return address must be at CFA-8");
    else if (signal)
        rule->kind = regs_are_whole(rule, frame) ? UNWIND_RULE_TRAP_REGS : UNWIND_RULE_TRAP;
    else
        rule->kind = UNWIND_RULE_CALL;
    return true;
}

static bool read_frame_pointer(struct unwind_rule *rule, Dwarf_Frame *frame,
                               struct cfi_shape *shape)
{
    struct saved saved = read_saved(frame, RBP, shape);

    if (saved.offset % WORD != 0)
        return refuse(shape, "the caller's rbp must be a multiple of 8 away");
    if (saved.place == PLACE_AT_CFA && !is_popped(rule, saved.offset))
        rule->saved = UNWIND_SAVED_AT_CFA;
    else if (saved.place == PLACE_AT_RBP)
        rule->saved = UNWIND_SAVED_AT_FRAME;
    else if (saved.place == PLACE_SAME || saved.place == PLACE_AT_CFA)
        return true;
    else
        return refuse(shape, "the caller's rbp must be in the register, or in memory at CFA or rbp "
                             "plus an offset");
    rule->saved_offset = (int32_t)saved.offset;
    return true;
}

bool cfi_rule(struct unwind_rule *rule, Dwarf_Frame *frame, bool signal, struct cfi_shape *shape)
{
    *rule = (struct unwind_rule){0};
    return read_cfa(rule, frame, shape) && read_kind(rule, frame, signal, shape) &&
           read_frame_pointer(rule, frame, shape);
}

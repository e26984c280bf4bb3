/* SPDX-License-Identifier: BSD-2-Clause */
/* See decode.h. */
#include "outside/plugin/decode.h"

#include <assert.h>
#include <string.h>

#include "arch/x86_64/debug/branch.h"

#define MODE_REGISTER 3
#define REGISTER_SP   4
#define LOCK          0xf0
#define WIDE_16       0x66
#define REX           0x40 /* to 0x4f */
#define REX_MASK      0xf0
#define REX_BASE      1
#define REX_REG       4
#define REX_WIDE      8
#define LONGEST       16
#define STEPS_MOST    48 /* instructions of all paths */
#define NO_REGISTER   16

/* Groups of opcodes, by their numbers there. */
enum { SUM_OR = 1, SUM_AND = 4, BIT_TESTS = 4, BIT_SETS, BIT_CLEARS, BIT_FLIPS };

/* An instruction's parts. */
struct parts {
    const uint8_t *opcode, *modrm;
    uint8_t rex;
    bool two, lock, wide_16;
    size_t prefixes;
};

static struct parts parts_of(const uint8_t *bytes)
{
    struct parts parts = {.prefixes = branch_prefixes(bytes)};

    parts.opcode = bytes + parts.prefixes;
    parts.rex = parts.prefixes > 0 && (parts.opcode[-1] & REX_MASK) == REX ? parts.opcode[-1] : 0;
    parts.two = parts.opcode[0] == 0x0f;
    parts.modrm = parts.opcode + 1 + parts.two;
    parts.lock = memchr(bytes, LOCK, parts.prefixes);
    parts.wide_16 = memchr(bytes, WIDE_16, parts.prefixes);
    return parts;
}

static unsigned reg_of(const struct parts *parts)
{
    return (*parts->modrm >> 3 & 7u) | (parts->rex & REX_REG ? 8 : 0);
}

static unsigned base_of(const struct parts *parts)
{
    return (*parts->modrm & 7u) | (parts->rex & REX_BASE ? 8 : 0);
}

static bool is_direct(const struct parts *parts)
{
    return *parts->modrm >> 6 == MODE_REGISTER;
}

/* `bts`, `btr` or `btc` of a bit of memory: of them, its number in `bt`'s group; else 0. */
static unsigned bit_group(const struct parts *parts)
{
    uint8_t opcode = parts->opcode[1];

    if (!parts->two || is_direct(parts))
        return 0;
    if (opcode == 0xba && (*parts->modrm >> 3 & 7u) > BIT_TESTS)
        return *parts->modrm >> 3 & 7u;
    return opcode == 0xab ? BIT_SETS : opcode == 0xb3 ? BIT_CLEARS : opcode == 0xbb ? BIT_FLIPS : 0;
}

static struct decoded_exchange test_set(const struct parts *parts)
{
    bool has_bit = parts->opcode[1] == 0xba;

    return (struct decoded_exchange){
        .kind = DECODED_TEST_SET,
        .reg = has_bit ? NO_REGISTER : (uint8_t)reg_of(parts),
        .width = parts->rex & REX_WIDE ? 8
                 : parts->wide_16      ? 2
                                       : 4,
        .has_bit = has_bit,
        .bit = has_bit ? parts->modrm[branch_modrm_length(parts->modrm, true)] : 0};
}

struct decoded_exchange decode_exchange(const uint8_t *bytes)
{
    struct parts parts = parts_of(bytes);
    struct decoded_exchange exchange = {.kind = parts.lock ? DECODED_ATOMIC : DECODED_NOT_ATOMIC};
    bool compares = parts.two && parts.lock && (parts.opcode[1] & 0xfe) == 0xb0;
    bool exchanges = !parts.two && (parts.opcode[0] & 0xfe) == 0x86 && !is_direct(&parts);
    bool adds = parts.two && parts.lock && (parts.opcode[1] & 0xfe) == 0xc0;
    bool narrow = !((parts.two ? parts.opcode[1] : parts.opcode[0]) & 1);

    if (parts.lock && bit_group(&parts) == BIT_SETS)
        return test_set(&parts);
    if (!compares && !exchanges && !adds)
        return exchange;
    exchange.kind = DECODED_ATOMIC;
    exchange.reg = (uint8_t)reg_of(&parts);
    exchange.width = narrow ? 1 : parts.rex & REX_WIDE ? 8 : 4;
    if (parts.wide_16 || (narrow && !parts.rex && exchange.reg >= 4)) /* ah to bh */
        return exchange;
    exchange.kind = compares ? DECODED_COMPARE : adds ? DECODED_ADD : DECODED_EXCHANGE;
    return exchange;
}

enum decoded_bits decode_bits(const uint8_t *bytes)
{
    struct parts parts = parts_of(bytes);
    uint8_t opcode = parts.opcode[0];
    bool of_number = opcode == 0x80 || opcode == 0x81 || opcode == 0x83;
    unsigned sum = of_number ? *parts.modrm >> 3 & 7u : opcode >> 3;

    if (bit_group(&parts))
        return bit_group(&parts) == BIT_CLEARS ? DECODED_CLEARS_BITS : DECODED_CHANGES_BITS;
    if (parts.two || !(of_number || (opcode < 0x40 && (opcode & 7) < 2)))
        return DECODED_CHANGES_BITS;
    return sum == SUM_AND  ? DECODED_CLEARS_BITS
           : sum == SUM_OR ? DECODED_SETS_BITS
                           : DECODED_CHANGES_BITS;
}

bool decode_may_give(const uint8_t *bytes)
{
    struct parts parts = parts_of(bytes);
    uint8_t opcode = parts.opcode[0];
    unsigned group = *parts.modrm >> 3 & 7u;

    if (!parts.lock && bit_group(&parts))
        return true;
    if (parts.two || parts.lock || is_direct(&parts) ||
        ((*parts.modrm & 7) == REGISTER_SP && (parts.modrm[1] & 7) == REGISTER_SP &&
         !(parts.rex & REX_BASE)))
        return false;
    return opcode == 0x88 || opcode == 0x89 || opcode == 0xc6 || opcode == 0xc7 ||
           ((opcode & 0xfe) == 0xfe && group < 2) ||
           ((opcode == 0x80 || opcode == 0x81 || opcode == 0x83) && group != 7) ||
           (opcode < 0x38 && (opcode & 7) < 2);
}

/* --- The loop around an exchange --- */

enum step { LEAVES, FOLLOWS, JUMPS, JUMPS_IF };

static size_t immediate_size(const struct parts *parts)
{
    return parts->wide_16 ? 2 : 4;
}

/* After 0f; `size`: without prefixes. */
static enum step step_two(const struct parts *parts, unsigned stored, size_t *size)
{
    uint8_t opcode = parts->opcode[1];

    *size = 2 + branch_modrm_length(parts->modrm, true);
    if (opcode >= 0x80 && opcode <= 0x8f) {
        *size = 6;
        return JUMPS_IF;
    }
    if (opcode == 0x1f || opcode == 0xa3) /* nop, bt */
        return FOLLOWS;
    if (opcode == 0xba) {
        (*size)++;
        return (*parts->modrm >> 3 & 7u) == BIT_TESTS ? FOLLOWS : LEAVES;
    }
    if (opcode >= 0x90 && opcode <= 0x9f) /* setcc */
        return is_direct(parts) ? FOLLOWS : LEAVES;
    if (opcode == 0xb6 || opcode == 0xb7) /* movzx */
        return reg_of(parts) != stored ? FOLLOWS : LEAVES;
    return LEAVES;
}

static enum step step_group(const struct parts *parts, size_t *size)
{
    uint8_t opcode = parts->opcode[0];
    unsigned group = *parts->modrm >> 3 & 7u;
    bool tests = (opcode & 0xfe) == 0xf6 ? group == 0 : group == 7;

    *size += opcode == 0x81 || opcode == 0xf7 ? immediate_size(parts) : 1;
    return tests ? FOLLOWS : LEAVES;
}

static enum step step_one(const struct parts *parts, unsigned stored, size_t *size)
{
    uint8_t opcode = parts->opcode[0];

    *size = 1 + branch_modrm_length(parts->modrm, true);
    switch (opcode) {
    case 0x90: /* nop, pause */
        *size = 1;
        return FOLLOWS;
    case 0x38 ... 0x3b: /* cmp, test */
    case 0x84:
    case 0x85:
        return FOLLOWS;
    case 0x3c:
    case 0xa8:
        *size = 2;
        return FOLLOWS;
    case 0x3d:
    case 0xa9:
        *size = 1 + immediate_size(parts);
        return FOLLOWS;
    case 0x80:
    case 0x81:
    case 0x83:
    case 0xf6:
    case 0xf7:
        return step_group(parts, size);
    case 0x19: /* sbb and xor of a register with itself */
    case 0x1b:
    case 0x31:
    case 0x33:
        return is_direct(parts) && reg_of(parts) == base_of(parts) ? FOLLOWS : LEAVES;
    case 0x88: /* mov between registers */
    case 0x89:
        return is_direct(parts) ? FOLLOWS : LEAVES;
    case 0x8a: /* mov to a register */
    case 0x8b:
        return is_direct(parts) || reg_of(parts) != stored ? FOLLOWS : LEAVES;
    case 0xb0 ... 0xb7: /* mov of a number */
        *size = 2;
        return FOLLOWS;
    case 0xb8 ... 0xbf:
        *size = 1 + (parts->rex & REX_WIDE ? 8 : immediate_size(parts));
        return FOLLOWS;
    case 0xc7:
        *size += immediate_size(parts);
        return is_direct(parts) ? FOLLOWS : LEAVES;
    case 0x70 ... 0x7f:
        *size = 2;
        return JUMPS_IF;
    case 0xeb:
        *size = 2;
        return JUMPS;
    case 0xe9:
        *size = 5;
        return JUMPS;
    default:
        return LEAVES;
    }
}

/* The displacement at the end of a jump. */
static int64_t displacement(const uint8_t *bytes, size_t size, bool narrow)
{
    int32_t wide;

    if (narrow)
        return (int8_t)bytes[size - 1];
    memcpy(&wide, bytes + size - sizeof(wide), sizeof(wide));
    return wide;
}

struct loop {
    const uint8_t *code;
    size_t size, at;
    unsigned stored, steps;
    bool compares;
};

/* True if the instruction, which a loop may have, sets ax to a number; `was`: it was one before. */
static bool sets_number(const struct parts *parts, bool was)
{
    uint8_t opcode = parts->opcode[0];
    bool sets_bit = parts->two && (parts->opcode[1] & 0xf0) == 0x90;
    unsigned reg = (parts->two && !sets_bit) || opcode == 0x31 || opcode == 0x33 ||
                           opcode == 0x8a || opcode == 0x8b
                       ? reg_of(parts)
                       : base_of(parts);

    if (!parts->two && opcode >= 0xb0 && opcode <= 0xbf)
        return (opcode & 7) == 0 && !(parts->rex & REX_BASE) ? true : was;
    if (!parts->two && (opcode == 0x31 || opcode == 0x33 || opcode == 0xc7))
        return reg == 0 ? true : was;
    if (parts->two ? parts->opcode[1] != 0x1f && (parts->opcode[1] & 0xf0) != 0x80
                   : (opcode & 0xfc) == 0x88)
        return reg == 0 ? false : was;
    return was;
}

/*
 * True if the instruction loads a register from where it points to, as on the way along a list:
 * the next exchange is of another place. `loaded`: those that were loaded anew on this way.
 */
static bool moves_on(const struct parts *parts, unsigned *loaded)
{
    unsigned reg = reg_of(parts), base = base_of(parts);
    bool by_base = (*parts->modrm & 7) != REGISTER_SP && (*parts->modrm & 0xc7) != 5;

    if (parts->two || parts->opcode[0] != 0x8b || is_direct(parts))
        return false;
    if (by_base && reg == base && !(*loaded >> reg & 1))
        return true;
    *loaded |= 1u << reg;
    return false;
}

/* `number`: ax has one that does not come from memory. */
static bool leads_back(struct loop *loop, size_t from, bool number, unsigned loaded)
{
    while (from != loop->at) {
        struct parts parts;
        enum step step;
        size_t size, to;

        if (from + LONGEST > loop->size || loop->steps++ == STEPS_MOST)
            return false;
        parts = parts_of(loop->code + from);
        step = parts.two ? step_two(&parts, loop->stored, &size)
                         : step_one(&parts, loop->stored, &size);
        size += parts.prefixes;
        if (parts.lock || step == LEAVES || moves_on(&parts, &loaded))
            return false;
        number = sets_number(&parts, number);
        to = from + size;
        if (step != FOLLOWS)
            to += (size_t)displacement(loop->code + from, size,
                                       !parts.two && parts.opcode[0] != 0xe9);
        if (step == JUMPS_IF && leads_back(loop, to, number, loaded))
            return true;
        from = step == JUMPS ? to : from + size;
    }
    return number || !loop->compares;
}

bool decode_waits(const uint8_t *code, size_t size, size_t at, size_t after,
                  const struct decoded_exchange *exchange)
{
    struct loop loop = {.code = code,
                        .size = size,
                        .at = at,
                        .stored = exchange->reg,
                        .compares = exchange->kind == DECODED_COMPARE};

    return leads_back(&loop, after, false, 0);
}

/* --- Waits for another word --- */

static bool is_load(const struct parts *parts)
{
    uint8_t opcode = parts->opcode[0], group = *parts->modrm >> 3 & 7u;

    if (is_direct(parts))
        return false;
    if (parts->two)
        return parts->opcode[1] == 0xb6 || parts->opcode[1] == 0xb7;
    return (opcode & 0xfc) == 0x38 || (opcode & 0xfe) == 0x84 || (opcode & 0xfe) == 0x8a ||
           ((opcode == 0x80 || opcode == 0x81 || opcode == 0x83) && group == 7) ||
           ((opcode & 0xfe) == 0xf6 && group == 0);
}

struct walk {
    struct loop loop;
    bool over_stores;
    uint64_t been[3]; /* a bit for each byte of the code */
    struct decoded_spin spin;
};

static void walk_from(struct walk *walk, size_t from)
{
    struct loop *loop = &walk->loop;

    while (from + LONGEST <= loop->size && !(walk->been[from / 64] >> from % 64 & 1)) {
        struct parts parts = parts_of(loop->code + from);
        size_t size, to;
        enum step step = parts.two ? step_two(&parts, loop->stored, &size)
                                   : step_one(&parts, loop->stored, &size);
        bool stores = !parts.two && (parts.opcode[0] == 0x89 || parts.opcode[0] == 0xc7);

        walk->been[from / 64] |= UINT64_C(1) << from % 64;
        if (parts.lock || (step == LEAVES && !(walk->over_stores && stores)))
            return;
        size += parts.prefixes;
        if (is_load(&parts) && walk->spin.count < DECODED_LOADS_MOST) {
            walk->spin.loads[walk->spin.count++] = (uint16_t)from;
            loop->at = from;
            loop->steps = 0;
            walk->spin.spins |= leads_back(loop, from + size, false, 0);
        }
        to = from + size;
        if (step == JUMPS || step == JUMPS_IF)
            to += (size_t)displacement(loop->code + from, size,
                                       !parts.two && parts.opcode[0] != 0xe9);
        if (step == JUMPS_IF)
            walk_from(walk, to);
        from = step == JUMPS ? to : from + size;
    }
}

struct decoded_spin decode_spin(const uint8_t *code, size_t size, size_t after,
                                const struct decoded_exchange *exchange)
{
    struct walk walk = {.loop = {.code = code, .size = size, .stored = exchange->reg},
                        .over_stores = exchange->kind != DECODED_ADD};

    assert(size <= 64 * sizeof(walk.been) / sizeof(*walk.been));
    walk_from(&walk, after);
    return walk.spin;
}

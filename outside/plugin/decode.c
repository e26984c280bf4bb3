/* SPDX-License-Identifier: BSD-2-Clause */
/* See decode.h. */
#include "outside/plugin/decode.h"

#include <string.h>

#include "arch/x86_64/debug/branch.h"

#define MODE_REGISTER 3
#define REGISTER_SP   4
#define LOCK          0xf0
#define REX           0x40 /* to 0x4f */
#define REX_MASK      0xf0
#define REX_BASE      1
#define REX_INDEX     2
#define REX_REG       4

/* Returns the target, from a displacement at the end of the instruction. */
static uint64_t relative(const uint8_t *bytes, size_t size, uint64_t ip, size_t width)
{
    int32_t wide = 0;

    if (width == 1)
        return ip + size + (uint64_t)(int64_t)(int8_t)bytes[size - 1];
    memcpy(&wide, bytes + size - sizeof(wide), sizeof(wide));
    return ip + size + (uint64_t)(int64_t)wide;
}

/* True if ModRM's r/m operand is the register rsp; reg_is_sp checks its reg operand. */
static bool base_is_sp(uint8_t modrm, uint8_t rex)
{
    return modrm >> 6 == MODE_REGISTER && (modrm & 7) == REGISTER_SP && !(rex & REX_BASE);
}

static bool reg_is_sp(uint8_t modrm, uint8_t rex)
{
    return (modrm >> 3 & 7) == REGISTER_SP && !(rex & REX_REG);
}

static enum decoded loads_if(bool loads)
{
    return loads ? DECODED_LOADS : DECODED_OTHER;
}

/* Group 7, of memory. */
static enum decoded decode_group_7(uint8_t modrm)
{
    if (modrm >> 6 == MODE_REGISTER)
        return DECODED_OTHER;
    switch (modrm >> 3 & 7) {
    case 3: /* lidt */
        return DECODED_TABLE;
    case 7: /* invlpg */
        return DECODED_REMAP;
    default:
        return DECODED_OTHER;
    }
}

/* mov to a control register, for any mod field. */
static enum decoded decode_control(uint8_t modrm)
{
    switch (modrm >> 3 & 7) {
    case 3:
        return DECODED_SPACE;
    case 0:
    case 4:
        return DECODED_REMAP;
    default:
        return DECODED_OTHER;
    }
}

static enum decoded decode_two(const uint8_t *opcode, uint8_t rex, const uint8_t *bytes,
                               size_t size, uint64_t ip, uint64_t *target)
{
    switch (opcode[1]) {
    case 0x05: /* syscall */
    case 0x34: /* sysenter */
        return DECODED_SYSCALL;
    case 0x07: /* sysret */
    case 0x35: /* sysexit */
        return DECODED_SYSRET;
    case 0x80 ... 0x8f: /* jcc */
        *target = relative(bytes, size, ip, 4);
        return DECODED_JUMP_IF;
    case 0xa0: /* push fs, gs */
    case 0xa8:
        return DECODED_PUSH;
    case 0xa1: /* pop fs, gs */
    case 0xa9:
        return DECODED_POP;
    case 0x20: /* mov from a control or debug register, for any mod field */
    case 0x21:
        return loads_if((opcode[2] & 7) == REGISTER_SP && !(rex & REX_BASE));
    case 0x01:
        return decode_group_7(opcode[2]);
    case 0x22:
        return rex & REX_REG ? DECODED_OTHER : decode_control(opcode[2]);
    case 0x38: /* invpcid, after 66 */
        return opcode[2] == 0x82 && opcode[3] >> 6 != MODE_REGISTER &&
                       memchr(bytes, 0x66, (size_t)(opcode - bytes))
                   ? DECODED_REMAP
                   : DECODED_OTHER;
    case 0x40 ... 0x4f: /* cmovcc */
        return loads_if(reg_is_sp(opcode[2], rex));
    case 0xb2: /* lss */
        return loads_if(reg_is_sp(opcode[2], rex));
    default:
        return DECODED_OTHER;
    }
}

/* Group 5: `field`, the reg field of ModRM, selects the instruction. */
static enum decoded decode_group_5(unsigned field)
{
    switch (field) {
    case 2:
    case 3:
        return DECODED_CALL_FAR;
    case 4:
    case 5:
        return DECODED_JUMP_FAR;
    case 6:
        return DECODED_PUSH;
    default:
        return DECODED_OTHER;
    }
}

/* True for a mov, xchg or lea to rsp, except a lea that adds to rsp. */
static bool loads_sp(const uint8_t *opcode, uint8_t rex)
{
    bool sum =
        (opcode[1] & 7) == REGISTER_SP && !(rex & REX_BASE) && (opcode[2] & 7) == REGISTER_SP;

    switch (opcode[0]) {
    case 0x87: /* xchg */
        return reg_is_sp(opcode[1], rex) || base_is_sp(opcode[1], rex);
    case 0x89: /* mov */
    case 0x8c:
    case 0xc7:
        return base_is_sp(opcode[1], rex);
    case 0x8b:
        return reg_is_sp(opcode[1], rex);
    case 0x8d: /* lea */
        return reg_is_sp(opcode[1], rex) && !sum;
    default:
        return false;
    }
}

enum decoded decode(const uint8_t *bytes, size_t size, uint64_t ip, uint64_t *target)
{
    unsigned prefixes = branch_prefixes(bytes);
    const uint8_t *opcode = bytes + prefixes;
    uint8_t rex = prefixes > 0 && (opcode[-1] & REX_MASK) == REX ? opcode[-1] : 0;

    if (prefixes >= size)
        return DECODED_OTHER;
    switch (opcode[0]) {
    case 0x0f:
        return decode_two(opcode, rex, bytes, size, ip, target);
    case 0x50 ... 0x57:
    case 0x68:
    case 0x6a:
    case 0x9c:
        return DECODED_PUSH;
    case 0x58 ... 0x5b:
    case 0x5d ... 0x5f:
    case 0x9d:
        return DECODED_POP;
    case 0x5c: /* pop rsp, or r12 */
        return rex & REX_BASE ? DECODED_POP : DECODED_LOADS;
    case 0x8f:
        return base_is_sp(opcode[1], rex) ? DECODED_LOADS : DECODED_POP;
    case 0x94: /* xchg with rax */
    case 0xbc: /* mov of an immediate */
        return loads_if(!(rex & REX_BASE));
    case 0x70 ... 0x7f:
    case 0xe0 ... 0xe3:
        *target = relative(bytes, size, ip, 1);
        return DECODED_JUMP_IF;
    case 0xc2:
    case 0xc3:
        return DECODED_RETURN;
    case 0xc9:
        return DECODED_LEAVE;
    case 0xca:
    case 0xcb:
        return DECODED_RETURN_FAR;
    case 0xea: /* far jump and call, on the way to 64-bit mode */
    case 0x9a:
        return DECODED_JUMP_FAR;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xf1:
        return DECODED_INTERRUPTS;
    case 0xcf:
        return DECODED_INTERRUPT_RETURN;
    case 0xe8:
        *target = relative(bytes, size, ip, 4);
        return DECODED_CALL;
    case 0xe9:
        *target = relative(bytes, size, ip, 4);
        return DECODED_JUMP;
    case 0xeb:
        *target = relative(bytes, size, ip, 1);
        return DECODED_JUMP;
    case 0xff:
        return decode_group_5(opcode[1] >> 3 & 7);
    default:
        *target = opcode[0] == 0x8d || (opcode[0] != 0xc7 && opcode[1] >> 6 == MODE_REGISTER);
        return loads_if(loads_sp(opcode, rex));
    }
}

/* True for `mov register, rsp` and `lea register, [rsp...]`. */
static bool copies_sp(const uint8_t *opcode, uint8_t rex, unsigned to)
{
    unsigned reg = (opcode[1] >> 3 & 7) | (rex & REX_REG ? 8 : 0);
    unsigned base = (opcode[1] & 7) | (rex & REX_BASE ? 8 : 0);
    bool direct = opcode[1] >> 6 == MODE_REGISTER;

    switch (opcode[0]) {
    case 0x89:
        return direct && reg == REGISTER_SP && base == to;
    case 0x8b:
        return direct && base == REGISTER_SP && reg == to;
    case 0x8d:
        return !direct && base == REGISTER_SP && reg == to && (opcode[2] & 7) == REGISTER_SP;
    default:
        return false;
    }
}

/* True for add, sub, and, or of this register: what it was computed from stays. */
static bool adjusts(const uint8_t *opcode, uint8_t rex, unsigned to)
{
    unsigned reg = (opcode[1] >> 3 & 7) | (rex & REX_REG ? 8 : 0);
    unsigned base = (opcode[1] & 7) | (rex & REX_BASE ? 8 : 0);
    unsigned group = opcode[1] >> 3 & 7;
    bool direct = opcode[1] >> 6 == MODE_REGISTER;

    switch (opcode[0]) {
    case 0x01: /* add, sub, and: to the r/m operand */
    case 0x29:
    case 0x21:
        return direct && base == to;
    case 0x03: /* ... to the reg operand */
    case 0x2b:
    case 0x23:
        return reg == to;
    case 0x81: /* ... of an immediate */
    case 0x83:
        return direct && base == to && (group == 0 || group == 4 || group == 5);
    default:
        return false;
    }
}

/* True if the instruction may set this register; wrongly true is safe. */
static bool may_set(const uint8_t *opcode, uint8_t rex, unsigned to)
{
    unsigned reg = (opcode[1] >> 3 & 7) | (rex & REX_REG ? 8 : 0);
    unsigned base = (opcode[1] & 7) | (rex & REX_BASE ? 8 : 0);
    unsigned low = (opcode[0] & 7) | (rex & REX_BASE ? 8 : 0);

    if (opcode[0] == 0x89 || (opcode[0] >= 0x50 && opcode[0] <= 0x57) || opcode[0] == 0x39 ||
        opcode[0] == 0x85) /* stores, pushes and comparisons, by their direction */
        return opcode[0] == 0x89 && opcode[1] >> 6 == MODE_REGISTER && base == to;
    return reg == to || base == to || low == to || to == 0;
}

bool decode_is_adjustment(const uint8_t *block, const uint8_t *sizes, size_t count)
{
    const uint8_t *at = block;
    uint8_t rex;
    unsigned from;

    for (size_t i = 0; i < count; i++)
        at += sizes[i];
    rex = (at[0] & REX_MASK) == REX ? at[0] : 0;
    at += rex ? 1 : 0;
    if (at[1] >> 6 != MODE_REGISTER || (at[0] != 0x89 && at[0] != 0x8b))
        return false;
    from = at[0] == 0x89 ? (at[1] >> 3 & 7) | (rex & REX_REG ? 8 : 0)
                         : (at[1] & 7) | (rex & REX_BASE ? 8 : 0);
    at -= rex ? 1 : 0;
    while (count > 0) {
        const uint8_t *opcode;

        at -= sizes[--count];
        opcode = at + branch_prefixes(at);
        rex = opcode > at && (opcode[-1] & REX_MASK) == REX ? opcode[-1] : 0;
        if (copies_sp(opcode, rex, from))
            return true;
        if (!adjusts(opcode, rex, from) && may_set(opcode, rex, from))
            return false;
    }
    return false;
}

unsigned decode_space_source(const uint8_t *bytes)
{
    unsigned prefixes = branch_prefixes(bytes);
    uint8_t rex = prefixes > 0 && (bytes[prefixes - 1] & REX_MASK) == REX ? bytes[prefixes - 1] : 0;

    return (bytes[prefixes + 2] & 7u) | (rex & REX_BASE ? 8 : 0);
}

bool decode_is_atomic(const uint8_t *bytes)
{
    unsigned prefixes = branch_prefixes(bytes);
    const uint8_t *opcode = bytes + prefixes;

    return memchr(bytes, LOCK, prefixes) ||
           ((opcode[0] == 0x86 || opcode[0] == 0x87) && opcode[1] >> 6 != MODE_REGISTER);
}

/* True if the opcode is one of these, which have a ModRM byte and no other operand in memory. */
static bool has_modrm(uint8_t opcode)
{
    return (opcode < 0x40 && (opcode & 7) < 4) || opcode == 0x63 || opcode == 0x69 ||
           opcode == 0x6b || (opcode >= 0x80 && opcode <= 0x8b) || (opcode & 0xfe) == 0xc0 ||
           (opcode & 0xfe) == 0xc6 || (opcode & 0xfc) == 0xd0 || (opcode & 0xfe) == 0xf6 ||
           opcode == 0xfe;
}

/* The same after 0f. */
static bool has_modrm_two(uint8_t opcode)
{
    return (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
           (opcode >= 0x40 && opcode <= 0x7f && opcode != 0x77) ||
           (opcode >= 0x90 && opcode <= 0x9f) || (opcode >= 0xaf && opcode <= 0xc6) ||
           opcode >= 0xd0;
}

enum base { BASE_OTHER, BASE_SP, BASE_IP };

/* What the instruction's addresses are relative to, if they are at a fixed distance from it. */
static enum base fixed_base(const uint8_t *bytes)
{
    unsigned prefixes = branch_prefixes(bytes);
    const uint8_t *opcode = bytes + prefixes, *modrm = opcode + 1;
    uint8_t rex = prefixes > 0 && (opcode[-1] & REX_MASK) == REX ? opcode[-1] : 0;

    if ((opcode[0] >= 0x50 && opcode[0] <= 0x5f) || opcode[0] == 0x68 || opcode[0] == 0x6a ||
        opcode[0] == 0x9c || opcode[0] == 0x9d)
        return BASE_SP;
    if (opcode[0] == 0x0f ? !has_modrm_two(*modrm++) : !has_modrm(opcode[0]))
        return BASE_OTHER;
    switch (*modrm >> 6 == MODE_REGISTER ? MODE_REGISTER : *modrm & 7) {
    case 4: /* a SIB byte */
        return (modrm[1] & 7) == REGISTER_SP && !(rex & REX_BASE) && (modrm[1] >> 3 & 7) == 4 &&
                       !(rex & REX_INDEX)
                   ? BASE_SP
                   : BASE_OTHER;
    case 5: /* relative to rip */
        return *modrm >> 6 == 0 ? BASE_IP : BASE_OTHER;
    default:
        return BASE_OTHER;
    }
}

bool decode_is_fixed(const uint8_t *bytes)
{
    return fixed_base(bytes) != BASE_OTHER;
}

bool decode_is_frame(const uint8_t *bytes)
{
    return fixed_base(bytes) == BASE_SP;
}

bool decode_is_fence(const uint8_t *bytes)
{
    unsigned prefixes = branch_prefixes(bytes);
    const uint8_t *opcode = bytes + prefixes;
    bool repeats = memchr(bytes, 0xf2, prefixes) || memchr(bytes, 0xf3, prefixes);

    return (opcode[0] == 0x0f && opcode[1] == 0xae && opcode[2] >> 3 == 0x1e && !repeats) ||
           (decode_is_atomic(bytes) && decode_is_frame(bytes));
}

enum decoded_mask decode_mask(const uint8_t *bytes)
{
    switch (bytes[branch_prefixes(bytes)]) {
    case 0x9d:
        return DECODED_POPF;
    case 0xf4:
        return DECODED_HALTS;
    case 0xfa:
        return DECODED_CLI;
    case 0xfb:
        return DECODED_STI;
    default:
        return DECODED_KEEPS_MASK;
    }
}

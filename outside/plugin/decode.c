/* SPDX-License-Identifier: BSD-2-Clause */
/* See decode.h. */
#include "outside/plugin/decode.h"

#include <string.h>

#include "arch/x86_64/debug/branch.h"

#define MODE_REGISTER 3
#define REGISTER_SP   4
#define SIB_SP        0x24 /* rsp alone */
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
    case 0xca: /* far returns */
    case 0xcb:
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
    case 0x89: /* mov to [rsp] */
        if (opcode[1] >> 6 == 0 && (opcode[1] & 7) == REGISTER_SP && opcode[2] == SIB_SP &&
            !(rex & (REX_BASE | REX_INDEX)))
            return DECODED_REPLACES;
        return loads_if(loads_sp(opcode, rex));
    default:
        return loads_if(loads_sp(opcode, rex));
    }
}

bool decode_is_way_out(const uint8_t *bytes)
{
    uint8_t opcode = bytes[branch_prefixes(bytes)];

    return opcode == 0xc2 || opcode == 0xc3 || opcode == 0xe9 || opcode == 0xeb;
}

bool decode_is_atomic(const uint8_t *bytes)
{
    unsigned prefixes = branch_prefixes(bytes);
    const uint8_t *opcode = bytes + prefixes;

    return memchr(bytes, LOCK, prefixes) ||
           ((opcode[0] == 0x86 || opcode[0] == 0x87) && opcode[1] >> 6 != MODE_REGISTER);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See operand.h. Source: Intel SDM vol. 2, "ModR/M and SIB Bytes". */
#include "arch/x86_64/debug/operand.h"

#define PREFIXES_MAX 14

/* By register number, as in instructions. */
static const uint8_t register_places[16] = {
    offsetof(struct regs, ax),  offsetof(struct regs, cx),  offsetof(struct regs, dx),
    offsetof(struct regs, bx),  offsetof(struct regs, sp),  offsetof(struct regs, bp),
    offsetof(struct regs, si),  offsetof(struct regs, di),  offsetof(struct regs, r8),
    offsetof(struct regs, r9),  offsetof(struct regs, r10), offsetof(struct regs, r11),
    offsetof(struct regs, r12), offsetof(struct regs, r13), offsetof(struct regs, r14),
    offsetof(struct regs, r15),
};

uint64_t operand_register(const struct regs *regs, unsigned number, uint64_t sp)
{
    if (number == NUMBER_SP)
        return sp;
    return *(const uint64_t *)((const char *)regs + register_places[number]);
}

uintptr_t operand_displacement(const uint8_t *bytes, unsigned size)
{
    int32_t wide;

    if (size == 1)
        return (uintptr_t)(intptr_t)(int8_t)*bytes;
    __builtin_memcpy(&wide, bytes, sizeof(wide));
    return (uintptr_t)(intptr_t)wide;
}

unsigned operand_base(const uint8_t *modrm, uint8_t rex)
{
    return (modrm[0] & 7) | (rex & REX_BASE ? 8 : 0);
}

/* Returns false if the byte is not a prefix. */
static bool take_prefix(struct operand_opcode *opcode, uint8_t byte)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0xf0:
    case 0xf2 ... 0xf3:
        return true;
    case 0x66:
        opcode->narrow = true;
        return true;
    case 0x67: /* not handled, like an unknown base */
        opcode->short_address = opcode->segment = true;
        return true;
    case 0x64 ... 0x65:
        opcode->segment = true;
        return true;
    default:
        return false;
    }
}

struct operand_opcode operand_opcode(uintptr_t instruction)
{
    struct operand_opcode opcode = {.at = (const uint8_t *)instruction};

    for (unsigned i = 0; i < PREFIXES_MAX && take_prefix(&opcode, *opcode.at); i++)
        opcode.at++;
    if ((*opcode.at & REX_MASK) == REX)
        opcode.rex = *opcode.at++;
    return opcode;
}

uintptr_t operand_address(const struct regs *regs, const uint8_t *modrm, uint8_t rex, uintptr_t end,
                          uint64_t sp)
{
    unsigned mode = modrm[0] >> 6, base = modrm[0] & 7;
    const uint8_t *at = modrm + 1;
    uintptr_t address = 0;

    if (mode == 0 && base == NUMBER_BP)
        return end + operand_displacement(at, sizeof(int32_t));
    if (base == NUMBER_SP) {
        unsigned index = (at[0] >> 3 & 7) | (rex & REX_INDEX ? 8 : 0);

        if (index != NUMBER_SP)
            address = operand_register(regs, index, sp) << (at[0] >> 6);
        base = *at++ & 7;
    }
    if (mode == 0 && base == NUMBER_BP)
        return address + operand_displacement(at, sizeof(int32_t));
    address += operand_register(regs, base | (rex & REX_BASE ? 8 : 0), sp);
    if (mode == 0)
        return address;
    return address + operand_displacement(at, mode == 1 ? 1 : sizeof(int32_t));
}

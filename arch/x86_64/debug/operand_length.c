/* SPDX-License-Identifier: BSD-2-Clause */
/* See operand.h. No x87 or SSE. Source: Intel SDM vol. 2, "Opcode Map", "Instruction Format". */
#include "arch/x86_64/debug/branch.h"
#include "arch/x86_64/debug/operand.h"

#define TWO_BYTES 0x0f
#define VEX_THREE 0xc4

/* What follows the opcode. */
enum tail {
    TAIL_NOT_KNOWN,   /* no data access, or may not continue at the next instruction */
    TAIL_NONE,        /* nothing: the operands are implied */
    TAIL_MODRM,       /* a memory operand */
    TAIL_MODRM_STACK, /* a memory operand or a register; also accesses the stack */
    TAIL_MODRM_BYTE,  /* a memory operand and a one-byte constant */
    TAIL_MODRM_WORDS, /* a memory operand and a two- or four-byte constant */
    TAIL_BYTE,
    TAIL_WORDS,
    TAIL_ADDRESS, /* an address of eight or four bytes */
    TAIL_ENTER,
};

static enum tail tail_of_group(uint8_t opcode, unsigned reg)
{
    switch (opcode) {
    case 0xf6:
        return reg < 2 ? TAIL_MODRM_BYTE : TAIL_MODRM;
    case 0xf7:
        return reg < 2 ? TAIL_MODRM_WORDS : TAIL_MODRM;
    case 0xff: /* 2 to 5 jump */
        if (reg == 6)
            return TAIL_MODRM_STACK;
        return reg < 2 ? TAIL_MODRM : TAIL_NOT_KNOWN;
    default:
        return TAIL_NOT_KNOWN;
    }
}

static enum tail tail_of(uint8_t opcode, unsigned reg)
{
    static const uint8_t tails[256] = {
        [0x50 ... 0x5f] = TAIL_NONE,
        [0x63] = TAIL_MODRM,
        [0x68] = TAIL_WORDS,
        [0x69] = TAIL_MODRM_WORDS,
        [0x6a] = TAIL_BYTE,
        [0x6b] = TAIL_MODRM_BYTE,
        [0x6c ... 0x6f] = TAIL_NONE,
        [0x80] = TAIL_MODRM_BYTE,
        [0x81] = TAIL_MODRM_WORDS,
        [0x83] = TAIL_MODRM_BYTE,
        [0x84 ... 0x8c] = TAIL_MODRM,
        [0x8e] = TAIL_MODRM,
        [0x8f] = TAIL_MODRM_STACK,
        [0x9c ... 0x9d] = TAIL_NONE,
        [0xa0 ... 0xa3] = TAIL_ADDRESS,
        [0xa4 ... 0xa7] = TAIL_NONE,
        [0xaa ... 0xaf] = TAIL_NONE,
        [0xc0 ... 0xc1] = TAIL_MODRM_BYTE,
        [0xc6] = TAIL_MODRM_BYTE,
        [0xc7] = TAIL_MODRM_WORDS,
        [0xc8] = TAIL_ENTER,
        [0xc9] = TAIL_NONE,
        [0xd0 ... 0xd3] = TAIL_MODRM,
        [0xd7] = TAIL_NONE,
        [0xfe] = TAIL_MODRM,
    };

    if (opcode < 0x40 && (opcode & 7) < 4)
        return TAIL_MODRM;
    return tails[opcode] ? (enum tail)tails[opcode] : tail_of_group(opcode, reg);
}

/* Opcodes after 0f. */
static enum tail tail_of_second(uint8_t opcode)
{
    static const uint8_t tails[256] = {
        [0x00 ... 0x03] = TAIL_MODRM, [0x40 ... 0x4f] = TAIL_MODRM, [0x90 ... 0x9f] = TAIL_MODRM,
        [0xa0 ... 0xa1] = TAIL_NONE,  [0xa3] = TAIL_MODRM,          [0xa4] = TAIL_MODRM_BYTE,
        [0xa5] = TAIL_MODRM,          [0xa8 ... 0xa9] = TAIL_NONE,  [0xab] = TAIL_MODRM,
        [0xac] = TAIL_MODRM_BYTE,     [0xad ... 0xb8] = TAIL_MODRM, [0xba] = TAIL_MODRM_BYTE,
        [0xbb ... 0xc1] = TAIL_MODRM, [0xc3] = TAIL_MODRM,          [0xc7] = TAIL_MODRM,
    };

    return (enum tail)tails[opcode];
}

static unsigned tail_length(enum tail tail, const struct operand_opcode *opcode,
                            const uint8_t *modrm)
{
    unsigned words = opcode->narrow && !(opcode->rex & REX_WIDE) ? 2 : 4;

    switch (tail) {
    case TAIL_MODRM:
    case TAIL_MODRM_STACK:
        return branch_modrm_length(modrm, true);
    case TAIL_MODRM_BYTE:
        return branch_modrm_length(modrm, true) + 1;
    case TAIL_MODRM_WORDS:
        return branch_modrm_length(modrm, true) + words;
    case TAIL_BYTE:
        return 1;
    case TAIL_WORDS:
        return words;
    case TAIL_ADDRESS:
        return opcode->short_address ? 4 : 8;
    case TAIL_ENTER:
        return 3;
    default:
        return 0;
    }
}

static bool has_modrm(enum tail tail)
{
    return tail == TAIL_MODRM || tail == TAIL_MODRM_BYTE || tail == TAIL_MODRM_WORDS;
}

/* `opcodes`: number of opcode bytes. */
static unsigned length_of(const uint8_t *instruction, const struct operand_opcode *opcode,
                          enum tail tail, unsigned opcodes)
{
    const uint8_t *end = opcode->at + opcodes;

    if (tail == TAIL_NOT_KNOWN || (has_modrm(tail) && *end >> 6 == 3))
        return 0;
    return (unsigned)(end - instruction) + tail_length(tail, opcode, end);
}

unsigned operand_length(const uint8_t *instruction)
{
    struct operand_opcode opcode = operand_opcode((uintptr_t)instruction);
    const uint8_t *at = opcode.at;

    if (at[0] == VEX_THREE) /* map 2, whose instructions have no constant, or map 3 */
        return length_of(instruction, &opcode, (at[1] & 0x1f) == 3 ? TAIL_MODRM_BYTE : TAIL_MODRM,
                         4);
    if (at[0] != TWO_BYTES)
        return length_of(instruction, &opcode, tail_of(at[0], at[1] >> 3 & 7), 1);
    if (at[1] == 0x38) /* movbe, crc32, adcx, adox */
        return length_of(instruction, &opcode, TAIL_MODRM, 3);
    return length_of(instruction, &opcode, tail_of_second(at[1]), 2);
}

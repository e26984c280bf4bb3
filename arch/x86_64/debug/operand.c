/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See operand.h. Covers instructions on general registers, for which the kernel is compiled. An
 * address is computed from the registers after the instruction; it is unknown if the instruction
 * changed one of them. Source: Intel SDM vol. 2, "Opcode Map" and "ModR/M and SIB Bytes".
 */
#include "arch/x86_64/debug/operand.h"

#define TWO_BYTES 0x0f
#define POP_SP    0x5c

/* How an instruction uses its memory operand; 0: unknown. */
enum form {
    READS = 1,
    WRITES = 2,
    BYTE = 4,         /* one byte, whatever the prefixes */
    WORD = 8,         /* two bytes */
    CHANGES_REG = 16, /* changes the register operand in ModRM */
    CHANGES_AX = 32,
    CHANGES_DX = 64,
    BITS = 128, /* the register operand numbers a bit, which may be beyond the memory operand */
    DWORD = 256,
    PAIR = 512, /* two halves of four or eight bytes */
};

/* Returns the registers that the address uses, bit i for register i. */
static unsigned address_registers(const uint8_t *modrm, uint8_t rex)
{
    unsigned mode = modrm[0] >> 6, base = modrm[0] & 7, registers = 0;

    if (base == NUMBER_SP) {
        unsigned index = (modrm[1] >> 3 & 7) | (rex & REX_INDEX ? 8 : 0);

        if (index != NUMBER_SP)
            registers |= 1u << index;
        base = modrm[1] & 7;
    }
    if (mode == 0 && base == NUMBER_BP)
        return registers;
    return registers | 1u << (base | (rex & REX_BASE ? 8 : 0));
}

static unsigned changed_registers(const struct operand_opcode *opcode, const uint8_t *modrm,
                                  unsigned form)
{
    unsigned number = (modrm[0] >> 3 & 7) | (opcode->rex & REX_REG ? 8 : 0), changed = 0;

    if (form & CHANGES_REG)
        changed |= 1u << number;
    if (form & CHANGES_REG && form & BYTE)
        changed |= 1u << (number & 3); /* it may be ah to bh, which are parts of ax to bx */
    if (form & CHANGES_AX)
        changed |= 1u << NUMBER_AX;
    if (form & CHANGES_DX)
        changed |= 1u << NUMBER_DX;
    return changed;
}

static uint8_t operand_size(const struct operand_opcode *opcode)
{
    if (opcode->rex & REX_WIDE)
        return 8;
    return opcode->narrow ? 2 : 4;
}

static uint8_t form_size(const struct operand_opcode *opcode, unsigned form)
{
    if (form & BYTE)
        return 1;
    if (form & WORD)
        return 2;
    if (form & DWORD)
        return 4;
    if (form & PAIR)
        return opcode->rex & REX_WIDE ? 16 : 8;
    return operand_size(opcode);
}

/* --- One-byte opcodes; `reg` is the middle field of the ModRM byte. --- */

static unsigned form_of_arithmetic(uint8_t opcode)
{
    unsigned byte = opcode & 1 ? 0 : BYTE;
    bool compares = opcode >> 3 == 7;

    if (opcode & 2)
        return READS | byte | (compares ? 0 : CHANGES_REG);
    return READS | byte | (compares ? 0 : WRITES);
}

static unsigned form_of_group(uint8_t opcode, unsigned reg)
{
    unsigned byte = opcode & 1 ? 0 : BYTE;

    switch (opcode) {
    case 0x80 ... 0x81: /* arithmetic with a constant; 7 compares */
    case 0x83:
        return READS | byte | (reg == 7 ? 0 : WRITES);
    case 0xc0 ... 0xc1: /* shifts */
    case 0xd0 ... 0xd3:
        return READS | WRITES | byte;
    case 0xc6 ... 0xc7: /* mov of a constant */
        return reg == 0 ? WRITES | byte : 0;
    case 0xf6 ... 0xf7: /* test, not, neg; mul and div */
        if (reg < 4)
            return READS | byte | (reg < 2 ? 0 : WRITES);
        return READS | byte | CHANGES_AX | CHANGES_DX;
    case 0xfe ... 0xff: /* inc, dec */
        return reg < 2 ? READS | WRITES | byte : 0;
    default:
        return 0;
    }
}

static unsigned form_of(uint8_t opcode, unsigned reg)
{
    static const uint8_t forms[256] = {
        [0x84] = READS | BYTE, /* test */
        [0x85] = READS,
        [0x86] = READS | WRITES | BYTE | CHANGES_REG, /* xchg */
        [0x87] = READS | WRITES | CHANGES_REG,
        [0x88] = WRITES | BYTE, /* mov */
        [0x89] = WRITES,
        [0x8a] = READS | BYTE | CHANGES_REG,
        [0x8b] = READS | CHANGES_REG,
        [0x8c] = WRITES | WORD, /* ... of a selector */
        [0x8e] = READS | WORD,
        [0x69] = READS | CHANGES_REG, /* imul */
        [0x6b] = READS | CHANGES_REG,
    };

    if (opcode < 0x40 && (opcode & 7) < 4)
        return form_of_arithmetic(opcode);
    if (opcode == 0x63) /* movsxd */
        return READS | DWORD | CHANGES_REG;
    return forms[opcode] ? forms[opcode] : form_of_group(opcode, reg);
}

/* --- Opcodes after 0f. --- */

static unsigned form_of_second_group(uint8_t opcode, unsigned reg)
{
    switch (opcode) {
    case 0xba: /* bt, bts, btr, btc by a constant */
        return reg < 4 ? 0 : reg == 4 ? READS : READS | WRITES;
    case 0xc7: /* cmpxchg8b, cmpxchg16b */
        return reg == 1 ? READS | WRITES | PAIR | CHANGES_AX | CHANGES_DX : 0;
    default:
        return 0;
    }
}

static unsigned form_of_second(uint8_t opcode, unsigned reg)
{
    static const uint8_t forms[256] = {
        [0x40 ... 0x4f] = READS | CHANGES_REG, /* cmov */
        [0x90 ... 0x9f] = WRITES | BYTE,       /* set */
        [0xa3] = READS | BITS,                 /* bt */
        [0xa4] = READS | WRITES,               /* shld */
        [0xa5] = READS | WRITES,
        [0xab] = READS | WRITES | BITS, /* bts */
        [0xac] = READS | WRITES,        /* shrd */
        [0xad] = READS | WRITES,
        [0xaf] = READS | CHANGES_REG,                /* imul */
        [0xb0] = READS | WRITES | BYTE | CHANGES_AX, /* cmpxchg */
        [0xb1] = READS | WRITES | CHANGES_AX,
        [0xb3] = READS | WRITES | BITS,      /* btr */
        [0xb6] = READS | BYTE | CHANGES_REG, /* movzx */
        [0xb7] = READS | WORD | CHANGES_REG,
        [0xb8] = READS | CHANGES_REG,          /* popcnt */
        [0xbb] = READS | WRITES | BITS,        /* btc */
        [0xbc ... 0xbd] = READS | CHANGES_REG, /* bsf, bsr */
        [0xbe] = READS | BYTE | CHANGES_REG,   /* movsx */
        [0xbf] = READS | WORD | CHANGES_REG,
        [0xc0] = READS | WRITES | BYTE | CHANGES_REG, /* xadd */
        [0xc1] = READS | WRITES | CHANGES_REG,
        [0xc3] = WRITES, /* movnti */
    };

    return forms[opcode] ? forms[opcode] : form_of_second_group(opcode, reg);
}

/*
 * Returns how far the word with the bit is from the operand (Intel SDM vol. 2, "Bit(BitBase,
 * BitOffset)"). The register that numbers the bit is signed, and of the operand's size.
 */
static uintptr_t bit_offset(const struct operand_opcode *opcode, const uint8_t *modrm,
                            const struct regs *regs)
{
    unsigned bits = 8u * operand_size(opcode);
    uint64_t number =
        operand_register(regs, (modrm[0] >> 3 & 7) | (opcode->rex & REX_REG ? 8 : 0), regs->sp);
    int64_t bit = (int64_t)(number << (64 - bits)) >> (64 - bits);

    return (uintptr_t)(bit >> __builtin_ctz(bits)) * (bits / 8);
}

static unsigned made_by_modrm(const struct operand_opcode *opcode, const uint8_t *modrm,
                              unsigned form, uintptr_t end, const struct regs *regs,
                              struct arch_made *made)
{
    bool kept = !(address_registers(modrm, opcode->rex) & changed_registers(opcode, modrm, form));

    if (!(form & (READS | WRITES)) || modrm[0] >> 6 == 3)
        return 0;
    *made = (struct arch_made){.size = form_size(opcode, form),
                               .placed = kept && !opcode->segment,
                               .reads = form & READS,
                               .writes = form & WRITES};
    if (made->placed)
        made->address = operand_address(regs, modrm, opcode->rex, end, regs->sp) +
                        (form & BITS ? bit_offset(opcode, modrm, regs) : 0);
    return 1;
}

static struct arch_made pushed(const struct regs *regs)
{
    return (struct arch_made){
        .address = regs->sp, .size = sizeof(uint64_t), .placed = true, .writes = true};
}

static struct arch_made popped(const struct regs *regs, bool placed)
{
    return (struct arch_made){.address = regs->sp - sizeof(uint64_t),
                              .size = sizeof(uint64_t),
                              .placed = placed,
                              .reads = true};
}

/* Handles only 64-bit accesses, the default. */
static unsigned made_on_stack(const struct operand_opcode *opcode, const struct regs *regs,
                              struct arch_made *made)
{
    uint8_t byte = *opcode->at;

    if (opcode->narrow)
        return 0;
    switch (byte) {
    case 0x50 ... 0x57: /* push */
    case 0x68:
    case 0x6a:
    case 0x9c: /* pushf */
        *made = pushed(regs);
        return 1;
    case 0x58 ... 0x5f: /* pop */
        *made = popped(regs, byte != POP_SP || opcode->rex & REX_BASE);
        return 1;
    case 0x9d: /* popf */
    case 0xc9: /* leave */
        *made = popped(regs, true);
        return 1;
    default:
        return 0;
    }
}

/* `push` from memory, or `pop` to it: the address comes from rsp before a push, or after a pop. */
static inline unsigned made_by_both(const struct operand_opcode *opcode, uintptr_t end,
                                    const struct regs *regs, struct arch_made made[ARCH_MADE_MAX],
                                    bool push)
{
    bool memory = opcode->at[1] >> 6 != 3;

    if (opcode->narrow || (!push && !memory))
        return 0;
    made[0] = push ? pushed(regs) : popped(regs, true);
    if (!memory)
        return 1;
    made[1] = (struct arch_made){
        .size = sizeof(uint64_t), .placed = !opcode->segment, .reads = push, .writes = !push};
    if (made[1].placed)
        made[1].address = operand_address(regs, opcode->at + 1, opcode->rex, end,
                                          regs->sp + (push ? sizeof(uint64_t) : 0));
    return 2;
}

/* Returns the access to the element that the pointer has just passed. */
static struct arch_made passed(const struct operand_opcode *opcode, const struct regs *regs,
                               uint64_t pointer, uint8_t size, bool writes)
{
    return (struct arch_made){.address =
                                  regs->flags & FLAGS_DIRECTION ? pointer + size : pointer - size,
                              .size = size,
                              .placed = !opcode->segment,
                              .reads = !writes,
                              .writes = writes};
}

const uint8_t operand_string[256] = {
    [0x6c ... 0x6d] = STRING_WRITES_DI,                   /* ins */
    [0x6e ... 0x6f] = STRING_READS_SI,                    /* outs */
    [0xa4 ... 0xa5] = STRING_WRITES_DI | STRING_READS_SI, /* movs */
    [0xa6 ... 0xa7] = STRING_READS_DI | STRING_READS_SI,  /* cmps */
    [0xaa ... 0xab] = STRING_WRITES_DI,                   /* stos */
    [0xac ... 0xad] = STRING_READS_SI,                    /* lods */
    [0xae ... 0xaf] = STRING_READS_DI,                    /* scas */
};

static unsigned made_by_string(const struct operand_opcode *opcode, const struct regs *regs,
                               struct arch_made made[ARCH_MADE_MAX])
{
    uint8_t size = *opcode->at & 1 ? operand_size(opcode) : 1;
    unsigned string = operand_string[*opcode->at], count = 0;

    if ((*opcode->at & 0xfc) == 0x6c && size == 8) /* a port access has at most 4 bytes */
        size = 4;
    if (string & (STRING_READS_DI | STRING_WRITES_DI))
        made[count++] = passed(opcode, regs, regs->di, size, string & STRING_WRITES_DI);
    if (string & STRING_READS_SI)
        made[count++] = passed(opcode, regs, regs->si, size, false);
    return count;
}

void operand_whole(struct arch_made *made, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        made[i].may_address = made[i].address;
        made[i].may_size = made[i].size;
        made[i].element = (uint8_t)made[i].size;
    }
}

unsigned operand_made(uintptr_t instruction, uintptr_t end, const struct regs *regs,
                      struct arch_made made[ARCH_MADE_MAX])
{
    struct operand_opcode opcode = operand_opcode(instruction);
    const uint8_t *at = opcode.at;
    unsigned reg = at[1] >> 3 & 7, count;

    if (at[0] == TWO_BYTES)
        return made_by_modrm(&opcode, at + 2, form_of_second(at[1], at[2] >> 3 & 7), end, regs,
                             made);
    if (at[0] == 0xff && reg == 6)
        return made_by_both(&opcode, end, regs, made, true);
    if (at[0] == 0x8f && reg == 0)
        return made_by_both(&opcode, end, regs, made, false);
    count = made_on_stack(&opcode, regs, made);
    if (!count)
        count = made_by_string(&opcode, regs, made);
    return count ? count : made_by_modrm(&opcode, at + 1, form_of(at[0], reg), end, regs, made);
}

static unsigned loaded_size(const struct operand_opcode *opcode)
{
    switch (opcode->at[0] == TWO_BYTES ? TWO_BYTES << 8 | opcode->at[1] : opcode->at[0]) {
    case 0x8a:   /* mov */
    case 0x0fb6: /* movzx */
    case 0x0fbe: /* movsx */
        return 1;
    case 0x0fb7:
    case 0x0fbf:
        return 2;
    case 0x63: /* movsxd */
        return 4;
    case 0x8b:
        return operand_size(opcode);
    default:
        return 0;
    }
}

unsigned operand_loaded(uintptr_t instruction, const struct regs *regs, uint64_t *value)
{
    struct operand_opcode opcode = operand_opcode(instruction);
    const uint8_t *modrm = opcode.at + (opcode.at[0] == TWO_BYTES ? 2 : 1);
    unsigned number = (modrm[0] >> 3 & 7) | (opcode.rex & REX_REG ? 8 : 0);
    bool high = opcode.at[0] == 0x8a && !opcode.rex && number >= 4; /* ah to bh */

    if (modrm[0] >> 6 == 3)
        return 0;
    *value = operand_register(regs, high ? number & 3 : number, regs->sp) >> (high ? 8 : 0);
    return loaded_size(&opcode);
}

/* All unplaced accesses of one operand: `pop rsp`, and those of a ModRM operand. */
void operand_place(uintptr_t instruction, uintptr_t end, const struct regs *before,
                   struct arch_made *made)
{
    struct operand_opcode opcode = operand_opcode(instruction);
    const uint8_t *at = opcode.at;
    bool two = at[0] == TWO_BYTES;

    if (opcode.segment || (two && form_of_second(at[1], at[2] >> 3 & 7) & BITS))
        return;
    made->placed = true;
    made->address = at[0] == POP_SP
                        ? before->sp
                        : operand_address(before, at + (two ? 2 : 1), opcode.rex, end, before->sp);
}

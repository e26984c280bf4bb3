/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines which bytes an instruction has read or written, from the instruction and the registers
 * after it. For arch/x86_64/debug/accessor.c, which knows where the instruction begins. Reads only
 * the instruction's bytes. Debug trap.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* REX prefix bits, and register numbers as encoded in instructions. */
#define REX       0x40
#define REX_MASK  0xf0
#define REX_BASE  1
#define REX_INDEX 2
#define REX_REG   4
#define REX_WIDE  8

#define NUMBER_AX 0
#define NUMBER_DX 2
#define NUMBER_SP 4
#define NUMBER_BP 5

/* The opcode, after all prefixes. */
struct operand_opcode {
    const uint8_t *at;
    uint8_t rex;        /* 0: none */
    bool narrow;        /* prefix 66 */
    bool short_address; /* prefix 67: 32-bit addresses */
    bool segment;       /* prefix 67, fs or gs: the base is unknown */
};

struct operand_opcode operand_opcode(uintptr_t instruction);

uintptr_t operand_displacement(const uint8_t *bytes, unsigned size);

/* Number of the register that ModRM names as its operand, or as the base of its address. */
unsigned operand_base(const uint8_t *modrm, uint8_t rex);

/* Value of a register; the stack pointer is `sp`, because the instruction may have changed it. */
uint64_t operand_register(const struct regs *regs, unsigned number, uint64_t sp);

/*
 * Address of the memory operand encoded at `modrm`. `end` is the address after the instruction;
 * `sp` is rsp before it; all other registers have their present values.
 */
uintptr_t operand_address(const struct regs *regs, const uint8_t *modrm, uint8_t rex, uintptr_t end,
                          uint64_t sp);

/* What a string instruction accesses at rdi and rsi, by opcode; 0: no string instruction. */
#define STRING_READS_DI  1u
#define STRING_WRITES_DI 2u
#define STRING_READS_SI  4u
extern const uint8_t operand_string[256];

/* Fills the remaining fields of accesses that are certain and consist of one element each. */
void operand_whole(struct arch_made *made, unsigned count);

/*
 * Length of the instruction; 24 bytes of it must be readable. 0: it accesses no data, is unknown,
 * or may not continue at the instruction after it.
 */
unsigned operand_length(const uint8_t *instruction);

/*
 * Stores all data accesses of the instruction at `instruction`, after the last of them; for a
 * repeated instruction, those of its last iteration. Not for calls. Returns their number; 0 for an
 * unknown instruction.
 */
unsigned operand_made(uintptr_t instruction, uintptr_t end, const struct regs *regs,
                      struct arch_made made[ARCH_MADE_MAX]);

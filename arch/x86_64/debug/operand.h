/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells from an instruction of the kernel and the registers after it which bytes the instruction
 * has accessed, and whether it read or wrote them. For arch/x86_64/debug/accessor.c, which knows
 * where the instruction begins. Reads only the instruction's bytes. Debug trap.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* Bits of the REX prefix, and registers, by the numbers that instructions encode them with. */
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
    bool short_address; /* prefix 67: addresses of 32 bits */
    bool segment;       /* that prefix, or one of fs or gs: the base is not known */
};

struct operand_opcode operand_opcode(uintptr_t instruction);

uintptr_t operand_displacement(const uint8_t *bytes, unsigned size);

/*
 * The register that the ModRM byte names as its operand, or as the base of the operand's address.
 */
unsigned operand_base(const uint8_t *modrm, uint8_t rex);

/* A register by its number; the stack pointer is `sp`, as the instruction may have moved it. */
uint64_t operand_register(const struct regs *regs, unsigned number, uint64_t sp);

/*
 * The memory operand of the ModRM byte at `modrm`. `end` is the address after the instruction; `sp`
 * is rsp before it; all other registers have their present values.
 */
uintptr_t operand_address(const struct regs *regs, const uint8_t *modrm, uint8_t rex, uintptr_t end,
                          uint64_t sp);

/* Completes accesses of which each is one element, and nothing is uncertain. */
void operand_whole(struct arch_made *made, unsigned count);

/*
 * The length of the instruction, of which 24 bytes may be read. 0: it accesses no data, or is not
 * known, or the next one to run may not be the one that follows it.
 */
unsigned operand_length(const uint8_t *instruction);

/*
 * All data accesses of the instruction at `instruction`, after the last of them; for a repeated
 * instruction, those of its last iteration. Not for calls. Returns 0 for an instruction that is not
 * known here.
 */
unsigned operand_made(uintptr_t instruction, uintptr_t end, const struct regs *regs,
                      struct arch_made made[ARCH_MADE_MAX]);

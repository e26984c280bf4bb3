/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one instruction of the kernel has accessed, told from its bytes and the registers after it:
 * which bytes, and whether it read or wrote. For arch/x86_64/debug/accessor.c, which knows where it
 * begins. Pure, but for the instruction's bytes that it reads. Debug trap.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* Bits of the prefix REX, and registers, by the numbers that instructions have for them. */
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
    uint8_t rex;  /* 0: none */
    bool narrow;  /* prefix 66 */
    bool segment; /* prefix of fs or gs: its base is not known */
};

struct operand_opcode operand_opcode(uintptr_t instruction);

uintptr_t operand_displacement(const uint8_t *bytes, unsigned size);

/* The register that the ModRM byte names as operand, or as base of it. */
unsigned operand_base(const uint8_t *modrm, uint8_t rex);

/* By its number; `sp` in place of the stack pointer, which the instruction may have moved. */
uint64_t operand_register(const struct regs *regs, unsigned number, uint64_t sp);

/*
 * The memory operand of the ModRM byte at `modrm`. `end` is behind the instruction; `sp` is rsp as
 * it was before it; all other registers are taken as they are now.
 */
uintptr_t operand_address(const struct regs *regs, const uint8_t *modrm, uint8_t rex, uintptr_t end,
                          uint64_t sp);

/*
 * All data accesses of the instruction at `instruction`, whose last one is over: of a repeated one
 * those of its last iteration. Not of calls. 0: not one of the instructions that are known here.
 */
unsigned operand_made(uintptr_t instruction, uintptr_t end, const struct regs *regs,
                      struct arch_made made[ARCH_MADE_MAX]);

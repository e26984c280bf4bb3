/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds which bytes an instruction accessed, from its bytes and the registers after it. Debug trap.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

/* REX bits, and register numbers as in instructions. */
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

/* The opcode after all prefixes. */
struct operand_opcode {
    const uint8_t *at;
    uint8_t rex;        /* 0: none */
    bool narrow;        /* prefix 66 */
    bool short_address; /* prefix 67: 32-bit addresses */
    bool segment;       /* prefix 67, fs or gs: the base is unknown */
};

struct operand_opcode operand_opcode(uintptr_t instruction);

uintptr_t operand_displacement(const uint8_t *bytes, unsigned size);

/* Number of the register that ModRM names as operand, or as the base of an address. */
unsigned operand_base(const uint8_t *modrm, uint8_t rex);

/* Returns a register's value. rsp has the value `sp`, as the instruction may have changed it. */
uint64_t operand_register(const struct regs *regs, unsigned number, uint64_t sp);

/*
 * Returns the operand's address. `end` is the address after the instruction, `sp` the value of rsp
 * that the instruction used; other registers have their current values.
 */
uintptr_t operand_address(const struct regs *regs, const uint8_t *modrm, uint8_t rex, uintptr_t end,
                          uint64_t sp);

/* What a string instruction accesses at rdi and rsi, by opcode; 0: no string instruction. */
#define STRING_READS_DI  1u
#define STRING_WRITES_DI 2u
#define STRING_READS_SI  4u
extern const uint8_t operand_string[256];

/* Fills the fields about groups, for accesses that are certain and of one element. */
void operand_whole(struct arch_made *made, unsigned count);

/*
 * Returns the instruction's length, from 24 readable bytes; 0 if it is unknown, accesses no data,
 * or may not fall through.
 */
unsigned operand_length(const uint8_t *instruction);

/*
 * Stores all data accesses of an instruction that has just run (of a repeated one, those of its
 * last iteration); `end` is the address after it. Not for calls. Returns their number; 0 if
 * unknown.
 */
unsigned operand_made(uintptr_t instruction, uintptr_t end, const struct regs *regs,
                      struct arch_made made[ARCH_MADE_MAX]);

/*
 * If the instruction has only loaded its operand into the low bytes of a register, stores the
 * register and returns the operand's size; otherwise returns 0.
 */
unsigned operand_loaded(uintptr_t instruction, const struct regs *regs, uint64_t *value);

/*
 * For an instruction with one access, which operand_made could not place, as the instruction has
 * changed a register of its address: places it by the registers before the instruction.
 */
void operand_place(uintptr_t instruction, uintptr_t end, const struct regs *before,
                   struct arch_made *made);

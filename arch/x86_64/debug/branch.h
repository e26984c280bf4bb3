/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides from an instruction's bytes whether it branches, for arch_step_branch (arch/step.h).
 * Source: Intel SDM vol. 2, "Opcode Map" and "Instruction Prefixes", 64-bit mode. Pure; any
 * context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The longest possible instruction. */
#define BRANCH_BYTES 15

enum branch_kind {
    BRANCH_NONE,        /* falls through, however often it is repeated */
    BRANCH_ALWAYS,      /* jmp, call, ret, iret */
    BRANCH_CONDITIONAL, /* jcc, loop, jrcxz */
    BRANCH_SHADOW,      /* sti, mov ss: the trap may come one instruction later */
};

struct branch {
    enum branch_kind kind;
    unsigned length; /* set for a conditional branch and for a shadow; else 0 */
};

/* How many prefixes come before its opcode. */
unsigned branch_prefixes(const uint8_t *instruction);

/*
 * The length of ModRM with its SIB and displacement, which is the same for addresses of 32 and of
 * 64 bits. `more`: the byte after it may be read.
 */
unsigned branch_modrm_length(const uint8_t *modrm, bool more);

/* The kind of the instruction that begins there; BRANCH_BYTES of it may be read. */
struct branch branch_judge(const uint8_t *instruction);

/*
 * Like arch_step_branch; `bytes` are the twice BRANCH_BYTES bytes at `from`. Returns the distance
 * from `from` to the instruction that branched, or -1 if none did.
 */
int branch_taken(const uint8_t *bytes, uintptr_t from, uintptr_t to);

/*
 * The distance from `from` to the last instruction of a step: 0, or the length of the instruction
 * that has delayed the trap.
 */
unsigned branch_shadow(const uint8_t *bytes, uintptr_t from, uintptr_t to);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides from an instruction's bytes whether it branches, for arch_step_branch (arch/step.h).
 * Source: Intel SDM vol. 2, "Opcode Map" and "Instruction Prefixes", 64-bit mode. Pure; any
 * context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Maximum length of an instruction. */
#define BRANCH_BYTES 15

enum branch_kind {
    BRANCH_NONE,        /* falls through, even if repeated */
    BRANCH_ALWAYS,      /* jmp, call, ret, iret */
    BRANCH_CONDITIONAL, /* jcc, loop, jrcxz */
    BRANCH_SHADOW,      /* sti, mov ss: the trap may come one instruction later */
};

struct branch {
    enum branch_kind kind;
    unsigned length; /* of a conditional branch or a shadow; otherwise 0 */
};

/* Number of prefixes before the opcode. */
unsigned branch_prefixes(const uint8_t *instruction);

/*
 * Length of ModRM with its SIB byte and displacement, equal for 32-bit and 64-bit addresses.
 * `more`: the byte after ModRM may be read.
 */
unsigned branch_modrm_length(const uint8_t *modrm, bool more);

/* Classifies the instruction at `instruction`; BRANCH_BYTES bytes must be readable. */
struct branch branch_judge(const uint8_t *instruction);

/*
 * Like arch_step_branch; `bytes` holds the 2 * BRANCH_BYTES bytes at `from`. Returns the offset
 * from `from` of the instruction that branched, or -1 if none did.
 */
int branch_taken(const uint8_t *bytes, uintptr_t from, uintptr_t to);

/*
 * Offset from `from` of the last instruction of a step: 0, or the length of the instruction that
 * delayed the trap.
 */
unsigned branch_shadow(const uint8_t *bytes, uintptr_t from, uintptr_t to);

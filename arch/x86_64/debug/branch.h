/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides from its bytes whether an instruction branches (Intel SDM vol. 2, "Opcode Map"). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Maximum length of an instruction. */
#define BRANCH_BYTES 15

enum branch_kind {
    BRANCH_NONE,        /* falls through, even if repeated */
    BRANCH_ALWAYS,      /* jmp, call, ret, iret */
    BRANCH_CONDITIONAL, /* jcc, loop, jrcxz */
    BRANCH_SHADOW,      /* sti, mov ss, pause: the trap may come one instruction later */
};

struct branch {
    enum branch_kind kind;
    unsigned length; /* of a conditional branch or a shadow; otherwise 0 */
};

unsigned branch_prefixes(const uint8_t *instruction);

/* Length of ModRM, SIB byte and displacement together. `more`: the byte after ModRM may be read. */
unsigned branch_modrm_length(const uint8_t *modrm, bool more);

/* Judges one instruction, of which BRANCH_BYTES bytes must be readable. */
struct branch branch_judge(const uint8_t *instruction);

/*
 * `bytes` holds 2 * BRANCH_BYTES from address `from`. Returns the offset of the instruction that
 * branched to `to`, or -1.
 */
int branch_taken(const uint8_t *bytes, uintptr_t from, uintptr_t to);

/*
 * Returns the offset of the last instruction of a step: 0, or the length of an instruction that
 * delayed the trap.
 */
unsigned branch_shadow(const uint8_t *bytes, uintptr_t from, uintptr_t to);

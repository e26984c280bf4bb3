/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides by its bytes whether an instruction branches (Intel SDM vol. 2, "Opcode Map"). Pure. */
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

unsigned branch_prefixes(const uint8_t *instruction);

/* Length of ModRM, SIB byte and displacement. `more`: the byte after ModRM may be read. */
unsigned branch_modrm_length(const uint8_t *modrm, bool more);

/* BRANCH_BYTES bytes must be readable. */
struct branch branch_judge(const uint8_t *instruction);

/* Offset in `bytes` (2 * BRANCH_BYTES, at `from`) of the instruction that branched, or -1. */
int branch_taken(const uint8_t *bytes, uintptr_t from, uintptr_t to);

/* Offset of the last instruction of a step: 0, or the length of one that delayed the trap. */
unsigned branch_shadow(const uint8_t *bytes, uintptr_t from, uintptr_t to);

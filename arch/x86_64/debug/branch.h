/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instruction branches, judged by its bytes: what arch_step_branch (arch/step.h) is made of.
 * Source: Intel SDM vol. 2, "Opcode Map" and "Instruction Prefixes", 64-bit mode. Pure; any
 * context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The longest that an instruction can be. */
#define BRANCH_BYTES 15

enum branch_kind {
    BRANCH_NONE,        /* continues with the next instruction, however often it is repeated */
    BRANCH_ALWAYS,      /* jmp, call, ret, iret */
    BRANCH_CONDITIONAL, /* jcc, loop, jrcxz */
    BRANCH_SHADOW,      /* sti, mov ss: a step may be held back until one more has run */
};

struct branch {
    enum branch_kind kind;
    unsigned length; /* set for a conditional one, or a shadow; 0 for others */
};

/* How many prefixes stand in front of its opcode. */
unsigned branch_prefixes(const uint8_t *instruction);

/* What the instruction that begins there is; BRANCH_BYTES of it may be read. */
struct branch branch_judge(const uint8_t *instruction);

/*
 * As arch_step_branch, with the bytes of what stands at `from`, twice BRANCH_BYTES of them. Returns
 * the distance from `from` to the instruction that branched, or -1 if none did.
 */
int branch_taken(const uint8_t *bytes, uintptr_t from, uintptr_t to);

/*
 * The distance from `from` to the instruction that a step has ended with: 0, or the length of the
 * one that has held the step back.
 */
unsigned branch_shadow(const uint8_t *bytes, uintptr_t from, uintptr_t to);

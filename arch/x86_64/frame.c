/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a function's frame stands at an instruction, told from the function's bytes: needed for the first step from a trap,
 * which may have come inside a prologue or an epilogue or in a function without a frame. Exact for what our compilers emit with
 * the Makefile's flags; a test compares it with the compiler's own call frame information at every instruction of the
 * kernel. Pure, any context; reads only bytes of the function.
 */
#include <stddef.h>

#include "arch/arch.h"

#define PUSH_RBP     0x55
#define PUSHFQ       0x9c
#define POP_RBP      0x5d
#define LEAVE        0xc9
#define RET          0xc3
#define REP          0xf3
#define JMP_SHORT    0xeb
#define JMP_NEAR     0xe9
#define JMP_INDIRECT 0xff
#define REX_B        0x41

/* mov rbp, rsp */
static bool frame_is_set_at(const uint8_t *code)
{
    return code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5;
}

/* ret, or the jump of a tail call */
static bool frame_leaves_at(const uint8_t *code)
{
    switch (code[0]) {
    case RET:
    case JMP_SHORT:
    case JMP_NEAR:
        return true;
    case REP:
        return code[1] == RET;
    case REX_B:
        return code[1] == JMP_INDIRECT && (code[2] & 0x38) == 0x20;
    case JMP_INDIRECT:
        return (code[1] & 0x38) == 0x20;
    default:
        return false;
    }
}

enum arch_frame arch_frame_at(uintptr_t function, uintptr_t ip)
{
    const uint8_t *start = (const uint8_t *)function;
    const uint8_t *at = (const uint8_t *)ip;

    if (at == start)
        return ARCH_FRAME_NONE;
    if (start[0] == PUSHFQ && at[-1] == PUSHFQ) /* arch/x86_64/leaf.asm */
        return ARCH_FRAME_SAVED;
    if (start[0] != PUSH_RBP)
        return ARCH_FRAME_NONE;
    if (at <= start + 1 && frame_is_set_at(start + 1))
        return ARCH_FRAME_SAVED;
    if ((at[-1] == POP_RBP || at[-1] == LEAVE) && frame_leaves_at(at))
        return ARCH_FRAME_NONE;
    return ARCH_FRAME_SET;
}

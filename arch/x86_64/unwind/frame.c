/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the state of a function's frame at an instruction, from the function's bytes: needed
 * for the first step by frame pointers from a trap, which may have come inside a prologue or an
 * epilogue or in a function without a frame. Only in kernels with frame pointers (UNWINDER=fp), and
 * exact for what our compilers emit with the Makefile's flags for them; a test compares it with the
 * compiler's own call frame information at every instruction. Pure, any context; reads only bytes
 * of the function.
 */
#include <stddef.h>

#include "arch/unwind.h"

#define PUSH_RBP 0x55
#define PUSHFQ   0x9c
#define POPFQ    0x9d
#define RET      0xc3
#define CLI      0xfa
#define STI      0xfb

/* mov rbp, rsp */
static bool frame_is_set_at(const uint8_t *code)
{
    return code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5;
}

/* arch/x86_64/entry/gate.asm: pushfq, cli, pop rax, push rbp, mov rbp, rsp ... leave, sti, ret */
static enum arch_frame frame_of_gate_at(const uint8_t *start, const uint8_t *at)
{
    if (at == start + 1 || at == start + 2 || at == start + 4)
        return ARCH_FRAME_SAVED;
    return at <= start + 3 || at[0] == STI || at[0] == RET ? ARCH_FRAME_NONE : ARCH_FRAME_SET;
}

/*
 * No instruction comes between the pop of the frame pointer and the `ret` (-fno-schedule-insns2),
 * and a function returns only by `ret`, never by the jump of a tail call
 * (-fno-optimize-sibling-calls).
 */
enum arch_frame arch_frame_at(uintptr_t function, uintptr_t ip)
{
    const uint8_t *start = (const uint8_t *)function;
    const uint8_t *at = (const uint8_t *)ip;

    if (start[0] == PUSHFQ && start[1] == CLI)
        return frame_of_gate_at(start, at);
    if (at == start || at[0] == RET)
        return ARCH_FRAME_NONE;
    if (start[0] == PUSHFQ && (at[-1] == PUSHFQ || at[0] == POPFQ)) /* arch/x86_64/cpu/leaf.asm */
        return ARCH_FRAME_SAVED;
    if (start[0] != PUSH_RBP)
        return ARCH_FRAME_NONE;
    if (at == start + 1 && frame_is_set_at(at))
        return ARCH_FRAME_SAVED;
    return ARCH_FRAME_SET;
}

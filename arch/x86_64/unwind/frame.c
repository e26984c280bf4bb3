/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the state of a function's frame at an instruction from the function's bytes: for the
 * first step of a walk by frame pointers from a trap, which may be in a prologue, an epilogue or a
 * function without a frame. Exact for our compilers with UNWINDER=fp: a test compares it with their
 * call frame information. Pure, any context.
 */
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
 * No instruction is between the pop of the frame pointer and the `ret` (-fno-schedule-insns2), and
 * functions return only by `ret`, never by a tail call (-fno-optimize-sibling-calls).
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

/* --- A program's frame: from a copy, as the kernel does not touch a program's memory. --- */

/*
 * The distance in the copy from the function's first byte to ip, if they are really further apart.
 */
#define APART 3

/* An unknown function is assumed to have a frame, and to begin at a `push rbp` at or before ip. */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip)
{
    uint8_t code[8] = {PUSH_RBP}, *at = code + APART;

    if (function && ip - *function < APART)
        at = code + (ip - *function);
    if (at == code)
        return ARCH_FRAME_NONE;
    /* All four bytes, or at the edge of mapped memory only the mapped ones. */
    if (!read(of, ip - 1, at - 1, 4)) {
        /* No code at ip: a call or jump to unmapped memory. */
        if (!read(of, ip, at, 1))
            return ARCH_FRAME_NONE;
        read(of, ip, at, 3);
        read(of, ip - 1, at - 1, 1);
    }
    if (function) {
        read(of, *function, code, 1);
    } else if (at[0] == PUSH_RBP) {
        at = code;
    } else if (at[-1] == PUSH_RBP) {
        code[1] = at[0];
        code[2] = at[1];
        code[3] = at[2];
        at = code + 1;
    }
    return arch_frame_at((uintptr_t)code, (uintptr_t)at);
}

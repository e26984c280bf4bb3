/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the state of a program's frame at an instruction (arch_frame_read): applies frame.c to
 * a copy of the few bytes that it reads, because the kernel does not touch a program's memory. Pure
 * except for `read`; any context.
 */
#include "arch/unwind.h"

/* Distance in the copy from the function's first byte to ip, if they are further apart. */
#define APART 3

#define PUSH_RBP 0x55

/*
 * The bytes between the function's first byte and ip do not matter. An unknown function is assumed
 * to have a frame, and a `push rbp` at ip or right before it to be its first instruction.
 */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip)
{
    uint8_t code[8] = {PUSH_RBP}, *at = code + APART;

    if (function && ip - *function < APART)
        at = code + (ip - *function);
    if (at == code)
        return ARCH_FRAME_NONE;
    /* All four bytes at once; at the edge of mapped memory, only those that are mapped. */
    if (!read(of, ip - 1, at - 1, 4)) {
        /* No code at ip: control arrived by a call or jump to unmapped memory. */
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

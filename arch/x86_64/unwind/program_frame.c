/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a program's frame stands at an instruction (arch_frame_read): frame.c's decision, on a copy
 * of the few bytes that it looks at, as the kernel does not touch a program's memory. Pure but for
 * `read`, any context.
 */
#include "arch/unwind.h"

/* Between the function's first byte and those around ip, where they do not touch. */
#define APART 3

#define PUSH_RBP 0x55

/*
 * What lies between the function's first byte and ip decides nothing. An unknown function is taken
 * for one with a frame, and a `push rbp` at ip or before it for its first instruction.
 */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip)
{
    uint8_t code[8] = {PUSH_RBP}, *at = code + APART;

    if (function && ip - *function < APART)
        at = code + (ip - *function);
    if (at == code)
        return ARCH_FRAME_NONE;
    /* All at once; at the borders of memory what there is. */
    if (!read(of, ip - 1, at - 1, 4)) {
        /* No code there: control arrived by a call or jump into nowhere. */
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

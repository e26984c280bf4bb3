/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes what the follower of calls needs, in 64-bit code; unknown instructions are DECODED_OTHER.
 * Source: Intel SDM vol. 2, "Opcode Map". Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum decoded {
    DECODED_OTHER,
    DECODED_CALL,     /* direct: to `target` */
    DECODED_CALL_FAR, /* indirect: through memory or a register */
    DECODED_RETURN,
    DECODED_JUMP,       /* unconditional: to `target` */
    DECODED_JUMP_IF,    /* conditional: to `target` */
    DECODED_JUMP_FAR,   /* indirect: through memory or a register */
    DECODED_LOADS,      /* loads rsp, except by adding to it */
    DECODED_PUSH,       /* writes a new top of the stack, which a return would read */
    DECODED_REPLACES,   /* overwrites the top of the stack */
    DECODED_POP,        /* reads the top of the stack */
    DECODED_SYSCALL,    /* syscall, sysenter: enters the kernel */
    DECODED_INTERRUPTS, /* int, int3 */
    DECODED_SYSRET,     /* sysret, sysexit: leaves the kernel */
    DECODED_INTERRUPT_RETURN,
};

/* Sets `target` if there is one; `ip` is the instruction's address. Reads up to 16 bytes. */
enum decoded decode(const uint8_t *bytes, size_t size, uint64_t ip, uint64_t *target);

/* True if the code begins with a return, or with a direct jump, which may lead to one. */
bool decode_is_way_out(const uint8_t *bytes);

/* True if the instruction reads and writes memory atomically: lock, or xchg. */
bool decode_is_atomic(const uint8_t *bytes);

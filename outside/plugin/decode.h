/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an instruction does that the follower of calls must know, from its bytes. Source: Intel SDM
 * vol. 2, "Opcode Map". 64-bit code; what is not recognised is taken for one that does nothing of
 * the kind. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum decoded {
    DECODED_OTHER,
    DECODED_CALL,     /* to a target in the instruction: `target` */
    DECODED_CALL_FAR, /* to one that is read or in a register */
    DECODED_RETURN,
    DECODED_JUMP,       /* always, to `target` */
    DECODED_JUMP_IF,    /* perhaps, to `target` */
    DECODED_JUMP_FAR,   /* to one that is read or in a register */
    DECODED_LOADS,      /* loads rsp with something that is no sum with itself */
    DECODED_PUSH,       /* writes a new top of the stack, where a return would read */
    DECODED_REPLACES,   /* writes the top that is there */
    DECODED_POP,        /* reads it */
    DECODED_SYSCALL,    /* syscall, sysenter: the kernel is entered */
    DECODED_INTERRUPTS, /* int, int3 */
    DECODED_SYSRET,     /* sysret, sysexit: the kernel is left */
    DECODED_INTERRUPT_RETURN,
};

/*
 * `target` is set for those that have one; `ip` is the instruction's address. 16 bytes may be read.
 */
enum decoded decode(const uint8_t *bytes, size_t size, uint64_t ip, uint64_t *target);

/* Whether code that begins so leads to a return, or by one jump to where there may be one. */
bool decode_is_way_out(const uint8_t *bytes);

/* Whether it reads and writes memory at once: lock, or xchg. */
bool decode_is_atomic(const uint8_t *bytes);

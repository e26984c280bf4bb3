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
    DECODED_JUMP,     /* unconditional: to `target` */
    DECODED_JUMP_IF,  /* conditional: to `target` */
    DECODED_JUMP_FAR, /* indirect: through memory or a register */
    DECODED_RETURN_FAR,
    DECODED_LOADS,      /* loads rsp, except by adding to it */
    DECODED_LEAVE,      /* loads rsp with rbp, and pops rbp */
    DECODED_PUSH,       /* writes below rsp */
    DECODED_POP,        /* reads at rsp */
    DECODED_SYSCALL,    /* syscall, sysenter: enters the kernel */
    DECODED_INTERRUPTS, /* int, int3 */
    DECODED_SYSRET,     /* sysret, sysexit: leaves the kernel */
    DECODED_INTERRUPT_RETURN,
    DECODED_SPACE, /* loads cr3 */
    DECODED_TABLE, /* lidt */
    DECODED_REMAP, /* loads cr0 or cr4, invlpg, invpcid: makes the CPU forget mappings, as cr3 */
};

static inline bool decode_is_call(enum decoded kind)
{
    return kind == DECODED_CALL || kind == DECODED_CALL_FAR;
}

/* True if the instruction accesses the stack alone: returns, and calls whose target is known. */
static inline bool decode_is_of_stack(enum decoded kind, uint64_t target)
{
    return kind == DECODED_RETURN || kind == DECODED_LEAVE || (decode_is_call(kind) && target != 0);
}

/*
 * Sets `target` if there is one; for DECODED_LOADS to 1 if rsp is loaded from other registers, not
 * from memory. `ip` is the instruction's address. Reads up to 16 bytes.
 */
enum decoded decode(const uint8_t *bytes, size_t size, uint64_t ip, uint64_t *target);

/*
 * True if the instruction copies a register to rsp that the instructions before it in its block,
 * `count` of them with these sizes, computed from rsp: memory for an array of variable length.
 */
bool decode_is_adjustment(const uint8_t *block, const uint8_t *sizes, size_t count);

/* The register that `mov` copies to cr3, as the instruction numbers them. */
unsigned decode_space_source(const uint8_t *bytes);

/* True if the instruction reads and writes memory atomically: lock, or xchg. */
bool decode_is_atomic(const uint8_t *bytes);

/*
 * True if all that the instruction accesses lies at a fixed distance from rsp or rip: its own frame
 * or a variable. Of other instructions than the usual ones false.
 */
bool decode_is_fixed(const uint8_t *bytes);

/* The same with rsp alone: its own frame. */
bool decode_is_frame(const uint8_t *bytes);

/*
 * True if the instruction orders a store before it and a load after it, and does nothing else:
 * mfence, or lock with a word of the stack.
 */
bool decode_is_fence(const uint8_t *bytes);

/* What an instruction does with interrupts. */
enum decoded_mask {
    DECODED_KEEPS_MASK,
    DECODED_POPF,
    DECODED_CLI,
    DECODED_STI,
    DECODED_HALTS,
};

enum decoded_mask decode_mask(const uint8_t *bytes);

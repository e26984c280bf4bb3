/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes what the follower of calls needs, and the instructions by which code takes a lock without
 * a function, in 64-bit code; unknown instructions are DECODED_OTHER.
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

/*
 * --- How code takes a lock: decode_atomic.c ---
 *
 * An atomic exchange, the loop around it, and the stores that may give the lock back.
 */

enum decoded_atomic {
    DECODED_NOT_ATOMIC,
    DECODED_EXCHANGE, /* xchg of a register with memory */
    DECODED_COMPARE,  /* lock cmpxchg: stores the register if memory is ax, or loads ax */
    DECODED_TEST_SET, /* lock bts */
    DECODED_ADD,      /* lock xadd */
    DECODED_ATOMIC,   /* another one with a lock prefix */
};

struct decoded_exchange {
    enum decoded_atomic kind;
    uint8_t reg;   /* the register, as instructions number them */
    uint8_t width; /* bytes: 4 or 8, and 1 if the register is al to dl or has a REX prefix */
    bool has_bit; /* DECODED_TEST_SET: the bit has a number here, not in a register; width 2, too */
    uint8_t bit;
};

/* `kind` is DECODED_ATOMIC, too, for an exchange of another width. */
struct decoded_exchange decode_exchange(const uint8_t *bytes);

/* What an instruction with a lock prefix, other than DECODED_TEST_SET, does with bits of memory. */
enum decoded_bits {
    DECODED_CLEARS_BITS, /* and, btr */
    DECODED_SETS_BITS,   /* or */
    DECODED_CHANGES_BITS,
};

enum decoded_bits decode_bits(const uint8_t *bytes);

/*
 * True if the instruction stores a number, a register or a sum, but not to the stack by rsp, or
 * changes a bit.
 */
bool decode_may_give(const uint8_t *bytes);

/*
 * True if code that waits follows the exchange: from its end, `after`, a path leads back to it, at
 * `at`, through nothing but tests, jumps, pauses, and loads of other registers than that which the
 * exchange stores. A comparison must be with a number each time: code that compares with what it
 * has read tries again, and does not wait. `code` is `size` bytes of it.
 */
bool decode_waits(const uint8_t *code, size_t size, size_t at, size_t after,
                  const struct decoded_exchange *exchange);

/* The loads that follow an exchange, by their offsets in the code, and if one is waited at. */
enum { DECODED_LOADS_MOST = 4 };

struct decoded_spin {
    bool spins;
    unsigned count;
    uint16_t loads[DECODED_LOADS_MOST];
};

/*
 * Code may wait for another word than the exchange's: from `after` on, a load leads back to itself
 * through what decode_waits allows. Before it, stores may follow all but DECODED_ADD: waiters that
 * queue tell the one before them where they are. `code` is at most 192 bytes.
 */
struct decoded_spin decode_spin(const uint8_t *code, size_t size, size_t after,
                                const struct decoded_exchange *exchange);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the instructions by which code takes a lock without a function: an atomic exchange, the
 * loop around it, and the stores that may give the lock back. In 64-bit code. Source: Intel SDM
 * vol. 2, "Opcode Map". Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

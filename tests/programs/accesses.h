/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that access data, one by one: `accesses NAME TO FROM COUNT DOWN` executes the one
 * with this name once, for tests that know what it accesses.
 *
 * ACCESSES(with): with(name, bytes read at FROM, bytes written at TO, how). A read of the bytes
 * that are also written is not listed, because a watch cannot distinguish the two.
 */
#pragma once

#include <stdint.h>

enum access_how {
    ACCESS_ONCE,
    ACCESS_REPEATED, /* COUNT times, upwards or downwards */
    ACCESS_JUMPS,    /* reads an address there, and jumps to it */
};

#define ACCESSES(with)                                                                             \
    with(stosb, 0, 1, REPEATED) with(stosd, 0, 4, REPEATED) with(stosq, 0, 8, REPEATED)            \
        with(movsb, 1, 1, REPEATED) with(movsd, 4, 4, REPEATED) with(movsq, 8, 8, REPEATED) with(  \
            lodsb, 1, 0, REPEATED) with(lodsd, 4, 0, REPEATED) with(lodsq, 8, 0, REPEATED)         \
            with(one_movsb, 1, 1, ONCE) with(one_movsd, 4, 4, ONCE) with(one_movsq, 8, 8, ONCE)    \
                with(load_1, 1, 0, ONCE) with(load_2, 2, 0, ONCE) with(load_4, 4, 0, ONCE)         \
                    with(load_8, 8, 0, ONCE) with(load_over, 8, 0, ONCE)                           \
                        with(load_signed, 4, 0, ONCE) with(store_1, 0, 1, ONCE)                    \
                            with(store_2, 0, 2, ONCE) with(store_4, 0, 4, ONCE)                    \
                                with(store_8, 0, 8, ONCE) with(store_constant, 0, 4, ONCE)         \
                                    with(store_far, 0, 8, ONCE) with(add_4, 0, 4, ONCE)            \
                                        with(exchange, 0, 8, ONCE) with(compare_8, 0, 8, ONCE)     \
                                            with(compare_16, 0, 16, ONCE) with(push, 0, 8, ONCE)   \
                                                with(push_memory, 8, 8, ONCE)                      \
                                                    with(pop, 8, 0, ONCE)                          \
                                                        with(pop_memory, 8, 8, ONCE)               \
                                                            with(call_memory, 8, 8, JUMPS)         \
                                                                with(jump_memory, 8, 0, JUMPS)     \
                                                                    with(return, 8, 0, JUMPS)

#define ACCESS_AREA 64 /* bytes of `access_area`, which is aligned to its size */

#define ACCESS_DECLARE(name, reads, writes, how)                                                   \
    void access_##name(uint8_t *to, const uint8_t *from, uint64_t count);
ACCESSES(ACCESS_DECLARE)
#undef ACCESS_DECLARE

/* Each of its words is the address at which the jumps continue. */
extern uint8_t access_area[ACCESS_AREA];

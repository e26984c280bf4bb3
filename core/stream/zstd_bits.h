/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of a few bits each, one after the other, from the lowest bit of the first byte up: how
 * zstd writes its sequences, which a decoder reads from the end. Called by zstd_sequences.c.
 */
#pragma once

#include <stdint.h>

struct bits {
    uint8_t *at, *end; /* where the next byte goes, and where the room ends: a byte there is lost */
    uint64_t held;     /* bits that are no byte yet */
    unsigned count;    /* ... so many, below 8 between calls */
};

/* The lowest `count` bits of `value`, up to 32. */
static inline void bits_add(struct bits *bits, uint32_t value, unsigned count)
{
    bits->held |= (value & ((UINT64_C(1) << count) - 1)) << bits->count;
    for (bits->count += count; bits->count >= 8; bits->count -= 8) {
        if (bits->at < bits->end)
            *bits->at++ = (uint8_t)bits->held;
        bits->held >>= 8;
    }
}

/* Ends them: the highest bit that is set in the last byte is none of them. */
static inline void bits_close(struct bits *bits)
{
    bits_add(bits, 1, 1);
    if (bits->count > 0)
        bits_add(bits, 0, 8 - bits->count);
}

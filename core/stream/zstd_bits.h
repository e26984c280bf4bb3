/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs numbers of a few bits each, from the lowest bit of the first byte up. zstd stores its
 * sequences this way, and decoders read them from the end. Called by zstd_sequences.c.
 */
#pragma once

#include <stdint.h>

struct bits {
    uint8_t *at, *end; /* next byte, and end of the buffer: bytes there are dropped */
    uint64_t held;     /* bits that do not fill a byte yet */
    unsigned count;    /* number of bits in `held`; below 8 between calls */
};

/* Adds the lowest `count` bits of `value`, at most 32. */
static inline void bits_add(struct bits *bits, uint32_t value, unsigned count)
{
    bits->held |= (value & ((UINT64_C(1) << count) - 1)) << bits->count;
    for (bits->count += count; bits->count >= 8; bits->count -= 8) {
        if (bits->at < bits->end)
            *bits->at++ = (uint8_t)bits->held;
        bits->held >>= 8;
    }
}

/* Ends the stream: the highest set bit of the last byte is a marker, not data. */
static inline void bits_close(struct bits *bits)
{
    bits_add(bits, 1, 1);
    if (bits->count > 0)
        bits_add(bits, 0, 8 - bits->count);
}

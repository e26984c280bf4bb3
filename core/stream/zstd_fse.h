/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FSE encoding with zstd's predefined codes, which need no table in the stream. A symbol's share of
 * the states determines its cost in bits; the bits select the decoder's next state. Source: RFC
 * 8878, 4.1 (the tables) and 3.1.1.3.2.2 (the shares). Any context.
 */
#pragma once

#include <stdint.h>

#define FSE_STATES_MAX 64

/* A state of the decoder: its symbol; the next state is `base` plus a number of `bits` bits. */
struct fse_state {
    uint8_t symbol, bits, base;
};

struct fse {
    unsigned log; /* log2 of the number of states */
    struct fse_state state[FSE_STATES_MAX];
};

/* Numbers of a few bits, from the lowest bit of the first byte up; decoders begin at the end. */
struct bits {
    uint8_t *at, *end; /* next byte, and end of the buffer: further bytes are dropped */
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

/*
 * Builds the states from the symbols' shares, which add up to 1 << log. A share of -1 means less
 * than one, and counts as one state.
 */
void fse_build(struct fse *fse, unsigned log, const int8_t *shares, unsigned symbols);

/*
 * Symbols are encoded from the last to the first. For the last symbol, fse_last returns any of its
 * decoder states. For every other symbol, fse_before returns the state that leads to `next`, and
 * adds the bits of that transition.
 */
unsigned fse_last(const struct fse *fse, unsigned symbol);
unsigned fse_before(const struct fse *fse, unsigned symbol, unsigned next, struct bits *bits);

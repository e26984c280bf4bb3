/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FSE encoding with zstd's predefined codes, which need no table in the stream. A symbol's share of
 * the states determines its cost in bits; the bits select the decoder's next state. Source:
 * RFC 8878, 4.1 (the tables) and 3.1.1.3.2.2 (the shares). Called by core/stream/zstd_sequences.c,
 * in any context.
 */
#pragma once

#include <stdint.h>

#include "core/stream/zstd_bits.h"

#define FSE_STATES_MAX 64

/* A state of the decoder: its symbol; the next state is `base` plus a number of `bits` bits. */
struct fse_state {
    uint8_t symbol, bits, base;
};

struct fse {
    unsigned log; /* log2 of the number of states */
    struct fse_state state[FSE_STATES_MAX];
};

/*
 * Builds the states from the share of each symbol; -1: less than one, a single state. The shares
 * add up to 1 << log.
 */
void fse_build(struct fse *fse, unsigned log, const int8_t *shares, unsigned symbols);

/*
 * Symbols are encoded from the last to the first. Both functions return a decoder state for the
 * symbol: fse_last any of the symbol's states, fse_before the state that leads to `next`, and adds
 * the bits of that transition.
 */
unsigned fse_last(const struct fse *fse, unsigned symbol);
unsigned fse_before(const struct fse *fse, unsigned symbol, unsigned next, struct bits *bits);

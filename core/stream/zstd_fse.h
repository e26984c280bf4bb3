/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The three codes that zstd calls predefined: no table of them travels. A symbol costs about as
 * many bits as its share of the states asks for; which bits they are is in the way from one state
 * of the decoder to the next. Source: RFC 8878, 4.1 (the tables) and 3.1.1.3.2.2 (the shares).
 * Called by core/stream/zstd_sequences.c, in any context.
 */
#pragma once

#include <stdint.h>

#include "core/stream/zstd_bits.h"

#define FSE_STATES_MAX 64

/* As the decoder has it: what a state stands for; the next state is base plus `bits` bits. */
struct fse_state {
    uint8_t symbol, bits, base;
};

struct fse {
    unsigned log; /* two to its power is how many states there are */
    struct fse_state state[FSE_STATES_MAX];
};

/* `shares` of each symbol, -1: less than one, a single state. They add up to 1 << log. */
void fse_build(struct fse *fse, unsigned log, const int8_t *shares, unsigned symbols);

/*
 * The last symbol is written first. Returns the state of the decoder that it takes for the symbol:
 * any of its states for the last one, and else the one that leads to `next`, by bits that are
 * added.
 */
unsigned fse_last(const struct fse *fse, unsigned symbol);
unsigned fse_before(const struct fse *fse, unsigned symbol, unsigned next, struct bits *bits);

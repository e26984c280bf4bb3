/* SPDX-License-Identifier: BSD-2-Clause */
/* See zstd_fse.h. A search of the decoder's few states takes less time than sending its result. */
#include "core/stream/zstd_fse.h"

#include "core/lib/assert.h"

/*
 * RFC 8878, 4.1.1: symbols with a share below one get the last states, the others are scattered
 * over the remaining states.
 */
static void scatter(struct fse *fse, const int8_t *shares, unsigned symbols)
{
    unsigned size = 1u << fse->log, last = size - 1, at = 0;

    for (unsigned symbol = 0; symbol < symbols; symbol++)
        if (shares[symbol] < 0)
            fse->state[last--].symbol = (uint8_t)symbol;
    for (unsigned symbol = 0; symbol < symbols; symbol++) {
        for (int i = 0; i < shares[symbol]; i++) {
            fse->state[at].symbol = (uint8_t)symbol;
            do {
                at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
            } while (at > last);
        }
    }
    assert(at == 0); /* each state has been visited */
}

void fse_build(struct fse *fse, unsigned log, const int8_t *shares, unsigned symbols)
{
    unsigned next[FSE_STATES_MAX];

    assert(1u << log <= FSE_STATES_MAX && symbols <= FSE_STATES_MAX);
    fse->log = log;
    scatter(fse, shares, symbols);
    for (unsigned symbol = 0; symbol < symbols; symbol++)
        next[symbol] = shares[symbol] < 0 ? 1 : (unsigned)shares[symbol];
    for (unsigned i = 0; i < 1u << log; i++) {
        struct fse_state *state = &fse->state[i];
        unsigned number = next[state->symbol]++, number_log = 31 - (unsigned)__builtin_clz(number);

        state->bits = (uint8_t)(log - number_log);
        state->base = (uint8_t)((number << state->bits) - (1u << log));
    }
}

unsigned fse_last(const struct fse *fse, unsigned symbol)
{
    unsigned state = 0;

    while (fse->state[state].symbol != symbol) {
        state++;
        assert(state < 1u << fse->log); /* each symbol has a state */
    }
    return state;
}

/* The states of a symbol partition all next states, so one of them leads to `next`. */
unsigned fse_before(const struct fse *fse, unsigned symbol, unsigned next, struct bits *bits)
{
    for (unsigned i = 0; i < 1u << fse->log; i++) {
        const struct fse_state *state = &fse->state[i];

        if (state->symbol == symbol && next - state->base < 1u << state->bits) {
            bits_add(bits, next - state->base, state->bits);
            return i;
        }
    }
    assert(!"a symbol of this code");
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sequences of zstd_encoder.h, encoded by FSE: a symbol's share of the states determines its
 * cost in bits; the bits select the decoder's next state. All codes are predefined: others would
 * have to be sent with each flush. Source: RFC 8878, 3.1.1.3.2 and 4.1. Any context.
 */
#include "core/stream/zstd_encoder.h"

#include <stdbool.h>

#include "core/lib/assert.h"

/* --- FSE. --- */

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

/*
 * Builds the states from the symbols' shares, which add up to 1 << log. A share of -1 means less
 * than one, and counts as one state.
 */
static void fse_build(struct fse *fse, unsigned log, const int8_t *shares, unsigned symbols)
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

/*
 * Symbols are encoded from the last to the first. For the last symbol, returns any of its decoder
 * states: a search of these few takes less time than sending its result.
 */
static unsigned fse_last(const struct fse *fse, unsigned symbol)
{
    unsigned state = 0;

    while (fse->state[state].symbol != symbol) {
        state++;
        assert(state < 1u << fse->log); /* each symbol has a state */
    }
    return state;
}

/*
 * For every other symbol, returns the state that leads to `next`, and adds the bits of that
 * transition. The states of a symbol partition all next states, so there is one.
 */
static unsigned fse_before(const struct fse *fse, unsigned symbol, unsigned next, struct bits *bits)
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

/* --- Sequences. --- */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* RFC 8878, 3.1.1.3.2.2.1 to 3. */
static const int8_t literals_shares[] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                         2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int8_t match_shares[] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int8_t offset_shares[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

/*
 * Maps a number to its code and extra bits: code n covers the numbers from first[n] up to, but not
 * including, first[n + 1]. RFC 8878, 3.1.1.3.2.1.1. The codes below `plain` cover one number each.
 */
struct ranges {
    unsigned plain;
    uint32_t lowest;  /* the number of code 0 */
    uint8_t bits[21]; /* extra bits of the codes from `plain` on */
};

static const struct ranges literals_ranges = {
    16, 0, {1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
static const struct ranges match_ranges = {
    32, 3, {1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

struct code {
    unsigned symbol, bits;
    uint32_t extra;
};

static struct code code_of(const struct ranges *ranges, uint32_t number)
{
    uint32_t first = ranges->lowest + ranges->plain;
    unsigned i = 0;

    if (number < first)
        return (struct code){.symbol = number - ranges->lowest};
    while ((number - first) >> ranges->bits[i]) {
        first += 1u << ranges->bits[i++];
        assert(i < COUNT_OF(ranges->bits)); /* no match is that long */
    }
    return (struct code){ranges->plain + i, ranges->bits[i], number - first};
}

static struct code code_of_offset(uint32_t offset)
{
    unsigned log = 31 - (unsigned)__builtin_clz(offset);

    return (struct code){log, log, offset - (1u << log)};
}

/* Directly after a match, the last offset cannot repeat: the match would have been longer. */
uint32_t zstd_offset(struct zstd_repeats *repeats, uint32_t distance, uint32_t literals)
{
    uint32_t *offset = repeats->offset;
    unsigned skipped = literals == 0, found = skipped;

    while (found < 3 && offset[found] != distance)
        found++;
    for (unsigned i = found < 3 ? found : 2; i > 0; i--)
        offset[i] = offset[i - 1];
    offset[0] = distance;
    return found < 3 ? found + 1 - skipped : distance + 3;
}

struct codes {
    bool built;
    struct fse literals, match, offset;
};

/* Built once, with constant content: a crash that builds it again stores the same values. */
static const struct codes *codes(void)
{
    static struct codes codes;

    if (!codes.built) {
        fse_build(&codes.literals, 6, literals_shares, COUNT_OF(literals_shares));
        fse_build(&codes.match, 6, match_shares, COUNT_OF(match_shares));
        fse_build(&codes.offset, 5, offset_shares, COUNT_OF(offset_shares));
        __atomic_store_n(&codes.built, true, __ATOMIC_RELEASE);
    }
    return &codes;
}

/* Writes from the last sequence to the first, each in the reverse of the decoder's order. */
static void write_bits(struct bits *bits, const struct zstd_sequence *sequences, size_t count)
{
    const struct codes *all = codes();
    unsigned literals_state = 0, match_state = 0, offset_state = 0;

    for (size_t i = count; i-- > 0;) {
        struct code literals = code_of(&literals_ranges, sequences[i].literals);
        struct code match = code_of(&match_ranges, sequences[i].match);
        struct code offset = code_of_offset(sequences[i].offset);

        if (i == count - 1) {
            offset_state = fse_last(&all->offset, offset.symbol);
            match_state = fse_last(&all->match, match.symbol);
            literals_state = fse_last(&all->literals, literals.symbol);
        } else {
            offset_state = fse_before(&all->offset, offset.symbol, offset_state, bits);
            match_state = fse_before(&all->match, match.symbol, match_state, bits);
            literals_state = fse_before(&all->literals, literals.symbol, literals_state, bits);
        }
        bits_add(bits, literals.extra, literals.bits);
        bits_add(bits, match.extra, match.bits);
        bits_add(bits, offset.extra, offset.bits);
    }
    bits_add(bits, match_state, all->match.log);
    bits_add(bits, offset_state, all->offset.log);
    bits_add(bits, literals_state, all->literals.log);
    bits_close(bits);
}

size_t zstd_write_sequences(uint8_t *to, size_t room, const struct zstd_sequence *sequences,
                            size_t count)
{
    struct bits bits = {.at = to, .end = to + room};

    assert(count <= ZSTD_SEQUENCES_MAX);
    if (count >= 128)
        bits_add(&bits, (uint32_t)(count >> 8) + 128, 8);
    bits_add(&bits, (uint32_t)count, 8);
    if (count > 0) {
        bits_add(&bits, 0, 8); /* all codes are the predefined ones */
        write_bits(&bits, sequences, count);
    }
    return bits.at < bits.end ? (size_t)(bits.at - to) : 0;
}

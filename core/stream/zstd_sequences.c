/* SPDX-License-Identifier: BSD-2-Clause */
/* See zstd_sequences.h. All codes are predefined: others would have to be sent with each flush. */
#include "core/stream/zstd_sequences.h"

#include <stdbool.h>

#include "core/lib/assert.h"
#include "core/stream/zstd_fse.h"

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

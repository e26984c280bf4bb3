/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See zstd_encoder.h. Records consist of eight-byte words, so positions are stored and looked up by
 * word. A match at the last offset is preferred: a record often differs from the last of its kind
 * only in a few bytes of its time, and the same offset matches again after them.
 */
#include "core/stream/zstd_encoder.h"

#include "core/lib/assert.h"
#include "core/lib/string.h"

#define WORD        8u
#define WORDS       (4 * WORD) /* looked up too: finds a piece of a call chain */
#define MATCH_LEAST 4u
/* Bytes further back are about to be overwritten by the waiting ones. */
#define DISTANCE_MAX (ZSTD_WINDOW - ZSTD_PENDING_MAX)

enum block_type { BLOCK_RAW = 0, BLOCK_COMPRESSED = 2 };

_Static_assert(ZSTD_PENDING_MAX / MATCH_LEAST <= ZSTD_SEQUENCES_MAX, "all matches are written");

void zstd_init(struct zstd *zstd)
{
    memset(zstd, 0, sizeof(*zstd));
    zstd->repeats = (struct zstd_repeats){{1, 4, 8}};
}

size_t zstd_room(const struct zstd *zstd)
{
    return ZSTD_PENDING_MAX - (size_t)(zstd->end - zstd->flushed);
}

uint64_t zstd_put(struct zstd *zstd, const void *bytes, size_t length)
{
    size_t at = zstd->end % ZSTD_WINDOW, first = ZSTD_WINDOW - at;

    assert(length <= zstd_room(zstd));
    if (first > length)
        first = length;
    memcpy(zstd->window + at, bytes, first);
    memcpy(zstd->window, (const uint8_t *)bytes + first, length - first);
    return zstd->end + length;
}

static uint8_t byte_at(const struct zstd *zstd, uint64_t position)
{
    return zstd->window[position % ZSTD_WINDOW];
}

/* The number of bytes at `position` that repeat those `distance` before; 0: none. */
static uint32_t match_length(const struct zstd *zstd, uint64_t position, uint32_t distance)
{
    uint64_t at = position;

    if (distance == 0 || distance > DISTANCE_MAX || distance > position)
        return 0;
    while (at < zstd->end && byte_at(zstd, at) == byte_at(zstd, at - distance))
        at++;
    return (uint32_t)(at - position);
}

static uint32_t hash_at(const struct zstd *zstd, uint64_t position, unsigned length)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < length; i += WORD) {
        uint64_t word = 0;

        for (unsigned k = 0; k < WORD; k++)
            word |= (uint64_t)byte_at(zstd, position + i + k) << 8 * k;
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> (64 - ZSTD_HASH_LOG - 8)) & ((1u << ZSTD_HASH_LOG) - 1);
}

/* Returns the length of the match found by `table`, or 0, and stores the position there. */
static uint32_t find_by(struct zstd *zstd, uint32_t *table, unsigned length, uint64_t position,
                        uint32_t *distance)
{
    uint32_t *place;

    if (zstd->end - position < length)
        return 0;
    place = &table[hash_at(zstd, position, length)];
    *distance = (uint32_t)position - *place;
    *place = (uint32_t)position;
    return match_length(zstd, position, *distance);
}

/* Returns the length of the longer match that the two tables find; both store the position. */
static uint32_t find(struct zstd *zstd, uint64_t position, uint32_t *distance)
{
    uint32_t near = 0, far = 0;
    uint32_t words = find_by(zstd, zstd->words_at, WORDS, position, &far);
    uint32_t word = find_by(zstd, zstd->word_at, WORD, position, &near);

    *distance = words > word ? far : near;
    return words > word ? words : word;
}

/* Stores the words inside a match too, so that the next record finds them. */
static void note(struct zstd *zstd, uint64_t from, uint64_t to)
{
    uint32_t unused;

    for (uint64_t at = (from + WORD) & ~(uint64_t)(WORD - 1); at < to; at += WORD)
        find(zstd, at, &unused);
}

/*
 * Splits the waiting bytes into sequences, and returns the number of sequences. The bytes after the
 * last one are literals.
 */
static size_t take_apart(struct zstd *zstd)
{
    uint64_t position = zstd->flushed, literals = position;
    size_t count = 0;

    zstd->repeats_after = zstd->repeats;
    while (position < zstd->end) {
        uint32_t distance = zstd->repeats_after.offset[0];
        uint32_t length = match_length(zstd, position, distance);
        uint32_t before = (uint32_t)(position - literals);

        if (length < MATCH_LEAST && position % WORD == 0)
            length = find(zstd, position, &distance);
        if (length < MATCH_LEAST) {
            position++;
            continue;
        }
        zstd->sequences[count++] = (struct zstd_sequence){
            before, length, zstd_offset(&zstd->repeats_after, distance, before)};
        note(zstd, position, position + length);
        position += length;
        literals = position;
    }
    return count;
}

static uint8_t *copy_out(const struct zstd *zstd, uint8_t *to, uint64_t from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        *to++ = byte_at(zstd, from + i);
    return to;
}

/* RFC 8878, 3.1.1.3.1.1: raw literals, with a count of 12 or 20 bits. */
static uint8_t *write_literals(const struct zstd *zstd, uint8_t *to, size_t count, size_t literals)
{
    const struct zstd_sequence *sequence = zstd->sequences;
    uint64_t at = zstd->flushed;

    *to++ = (uint8_t)(literals << 4 | (literals < 4096 ? 1 : 3) << 2);
    *to++ = (uint8_t)(literals >> 4);
    if (literals >= 4096)
        *to++ = (uint8_t)(literals >> 12);
    for (size_t i = 0; i < count; i++) {
        to = copy_out(zstd, to, at, sequence[i].literals);
        at += sequence[i].literals + sequence[i].match;
    }
    return copy_out(zstd, to, at, (size_t)(zstd->end - at));
}

/* Magic number and window size only: RFC 8878, 3.1.1.1. */
static uint8_t *write_frame_header(uint8_t *to)
{
    static const uint8_t header[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (ZSTD_WINDOW_LOG - 10) << 3};

    memcpy(to, header, sizeof(header));
    return to + sizeof(header);
}

#define BLOCK_HEADER 3

size_t zstd_flush(struct zstd *zstd, uint8_t *to)
{
    size_t waiting = (size_t)(zstd->end - zstd->flushed), count, sequences = 0, matched = 0, header;
    uint8_t *block = zstd->flushed ? to : write_frame_header(to), *body = block + BLOCK_HEADER;
    uint8_t *at;

    assert(waiting > 0 && waiting <= ZSTD_PENDING_MAX);
    count = take_apart(zstd);
    for (size_t i = 0; i < count; i++)
        matched += zstd->sequences[i].match;
    if (matched > 3) { /* otherwise the literals' header may not fit */
        at = write_literals(zstd, body, count, waiting - matched);
        sequences = zstd_write_sequences(at, (size_t)(body + waiting - at), zstd->sequences, count);
        at += sequences;
    }
    if (!sequences) {
        /* A raw block leaves the decoder's repeats unchanged. */
        zstd->repeats_after = zstd->repeats;
        at = copy_out(zstd, body, zstd->flushed, waiting);
    }
    header = (size_t)(at - body) << 3 | (sequences ? BLOCK_COMPRESSED : BLOCK_RAW) << 1;
    for (unsigned i = 0; i < BLOCK_HEADER; i++)
        block[i] = (uint8_t)(header >> 8 * i);
    return (size_t)(at - to);
}

void zstd_commit(struct zstd *zstd)
{
    zstd->repeats = zstd->repeats_after;
    zstd->flushed = zstd->end;
}

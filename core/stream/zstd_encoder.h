/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A zstd encoder (RFC 8878) for records that resemble each other. It finds matches in a window by
 * the last position of the same words, stores literals uncompressed, and uses the predefined codes,
 * which need no table. It writes one frame and allocates no memory. docs/stream.md, "Compressed",
 * gives the cost.
 *
 * A flush takes effect through zstd_commit, an idempotent assignment: after a crash before it, the
 * same bytes are encoded again. One task at a time, or a crash that interrupted it. Used by
 * core/stream/stage.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Sequences (zstd_sequences.c): each is a run of literals followed by a match of some length and
 * distance.
 */

/* Recent offsets, which a sequence can name by a small number; the latest first. */
struct zstd_repeats {
    uint32_t offset[3];
};

struct zstd_sequence {
    uint32_t literals;
    uint32_t match;  /* at least 3 */
    uint32_t offset; /* as encoded: 1 to 3 for a repeat, otherwise the distance plus 3 */
};

/* Returns the encoded `distance` after a run of `literals`; updates repeats as a decoder does. */
uint32_t zstd_offset(struct zstd_repeats *repeats, uint32_t distance, uint32_t literals);

#define ZSTD_SEQUENCES_MAX 0x7eff /* the largest count with a two-byte encoding */

/* Writes the section of `count` sequences. Returns its length; 0: it does not fit into `room`. */
size_t zstd_write_sequences(uint8_t *to, size_t room, const struct zstd_sequence *sequences,
                            size_t count);

#define ZSTD_WINDOW_LOG  16
#define ZSTD_WINDOW      (1u << ZSTD_WINDOW_LOG)
#define ZSTD_PENDING_MAX 8192u /* bytes between two flushes */
#define ZSTD_HASH_LOG    12
/* Longest flush: frame header, block header, and the bytes themselves. */
#define ZSTD_FLUSH_MAX (ZSTD_PENDING_MAX + 9)

struct zstd {
    uint64_t end;                /* bytes put so far */
    uint64_t flushed;            /* bytes flushed so far; 0: the frame has no header yet */
    struct zstd_repeats repeats; /* the decoder's repeats after the flushed bytes */
    struct zstd_repeats repeats_after;

    uint8_t window[ZSTD_WINDOW]; /* byte n is at index n % ZSTD_WINDOW */
    /* Last position of a word, and of four words, by hash. Only a hint: matches are verified. */
    uint32_t word_at[1u << ZSTD_HASH_LOG], words_at[1u << ZSTD_HASH_LOG];
    struct zstd_sequence sequences[ZSTD_PENDING_MAX / 4];
};

void zstd_init(struct zstd *zstd);

/* Bytes that zstd_put accepts before the next flush. */
size_t zstd_room(const struct zstd *zstd);

/*
 * Appends at most zstd_room bytes to the waiting ones. They count once the caller has set zstd->end
 * to the returned value; until then the call may be repeated.
 */
uint64_t zstd_put(struct zstd *zstd, const void *bytes, size_t length);

/* Encodes the waiting bytes (at least 1) as a block; returns its length, at most ZSTD_FLUSH_MAX. */
size_t zstd_flush(struct zstd *zstd, uint8_t *to);

/* Marks the last flush as sent to the decoder. */
void zstd_commit(struct zstd *zstd);

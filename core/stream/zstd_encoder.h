/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An encoder of zstd (RFC 8878) for records that are much alike: matches in a window, by way of the
 * last place where the same words stood, literals as they are, the codes that need no table. One
 * frame, flushed whenever its user wants; no allocation. docs/stream.md, "Compressed", says what it
 * costs.
 *
 * What a flush changes takes effect by zstd_commit, an assignment that may be done twice: so after
 * a crash anywhere in between the same bytes are simply encoded again. One task at a time, or a
 * crash upon it. Used by core/stream/pack.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/stream/zstd_sequences.h"

#define ZSTD_WINDOW_LOG  16
#define ZSTD_WINDOW      (1u << ZSTD_WINDOW_LOG)
#define ZSTD_PENDING_MAX 8192u /* bytes between two flushes */
#define ZSTD_HASH_LOG    12
/*
 * The greatest length of a flush of so many bytes: the header of the frame and of a block, and the
 * bytes themselves.
 */
#define ZSTD_FLUSH_MAX (ZSTD_PENDING_MAX + 9)

struct zstd {
    uint64_t end;     /* bytes so far, those of the window and */
    uint64_t flushed; /* ... and the number of those that have been flushed; 0: the frame has no
                       * header yet */
    struct zstd_repeats repeats; /* the decoder's repeats after what was flushed */
    struct zstd_repeats repeats_after;

    uint8_t window[ZSTD_WINDOW]; /* byte n is at n modulo its size */
    /*
     * The last place of a word, or of four words, by their hash. A hint: the bytes there are
     * compared.
     */
    uint32_t word_at[1u << ZSTD_HASH_LOG], words_at[1u << ZSTD_HASH_LOG];
    struct zstd_sequence sequences[ZSTD_PENDING_MAX / 4];
};

void zstd_init(struct zstd *zstd);

/* The number of bytes that zstd_put has room for before the next flush. */
size_t zstd_room(const struct zstd *zstd);

/*
 * Puts bytes after those that wait, no more than there is room for. They wait once the caller has
 * set zstd->end to what this returns; until then this may be done again.
 */
uint64_t zstd_put(struct zstd *zstd, const void *bytes, size_t length);

/*
 * Encodes the bytes that wait, at least one, as a block; returns its length, at most
 * ZSTD_FLUSH_MAX.
 */
size_t zstd_flush(struct zstd *zstd, uint8_t *to);

/* Takes the last flush as sent: the decoder has it now. */
void zstd_commit(struct zstd *zstd);

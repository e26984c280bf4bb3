/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of zstd, and how they are written: so many literals, then a match of so many bytes, so
 * far back. Source: RFC 8878, 3.1.1.3.2. Called by core/stream/zstd_encoder.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Offsets that a sequence can name by a small number, the last one first. */
struct zstd_repeats {
    uint32_t offset[3];
};

struct zstd_sequence {
    uint32_t literals;
    uint32_t match;  /* 3 and more */
    uint32_t offset; /* as it is written: 1 to 3 for a repeat, else the distance plus 3 */
};

/* How `distance` is written after so many literals; the repeats become those of a decoder. */
uint32_t zstd_offset(struct zstd_repeats *repeats, uint32_t distance, uint32_t literals);

#define ZSTD_SEQUENCES_MAX 0x7eff /* the most that two bytes count */

/*
 * The section of so many sequences, up to ZSTD_SEQUENCES_MAX; its length, 0: it has no such room.
 */
size_t zstd_write_sequences(uint8_t *to, size_t room, const struct zstd_sequence *sequences,
                            size_t count);

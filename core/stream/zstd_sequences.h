/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zstd sequences and their encoding. A sequence is a run of literals followed by a match of some
 * length and distance. Source: RFC 8878, 3.1.1.3.2. Any context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a record in three steps, so that a test can stop, or be stopped, between them. The steps
 * use core/ring/claim.h, like ring_output and sample_write. Context: like ring_output; each reserve
 * is followed by its commit.
 */
#pragma once

#include "core/ring/ring.h"

/* Where a record goes. */
struct ring_record {
    uint64_t offset;
    uint64_t time; /* read inside the claim, so that records of one ring are in order of time */
    unsigned level;
    bool dropped;
};

/* Claims `size` bytes. False: dropped and counted. */
bool ring_reserve(struct ring *ring, uint32_t size, struct ring_record *record);

/* Copies the whole record, header first, into its claim; `size` is the reserved size. */
void ring_write(struct ring *ring, const struct ring_record *record, const void *bytes,
                size_t size);

void ring_commit(struct ring *ring, struct ring_record *record);

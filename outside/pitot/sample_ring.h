/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the latest samples of a recording with --overwrite: new ones replace the oldest. Called by
 * outside/pitot/recording.c.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates a ring of `room` bytes, a multiple of 8. False: no memory. */
bool sample_ring_create(uint64_t room);

void sample_ring_add(const struct perf_event_header *record);

/* Removes the oldest record, and copies it to `record`; false: the ring is empty. */
bool sample_ring_take(void *record);

/* Returns the number of records that were overwritten, or too large for the ring. */
uint64_t sample_ring_lost(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often each code address has run: summed over the blocks that include it, as QEMU may
 * translate code several times with different block boundaries. Called by outside/pitot/cover.c and
 * lcov.c.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

int counts_add(const struct wire_block *block, struct refusal *why);

/* After the last counts_add. */
void counts_sort(void);

/* The highest count of the addresses from `first` to `end`, exclusive. */
uint64_t counts_most(uint64_t first, uint64_t end);

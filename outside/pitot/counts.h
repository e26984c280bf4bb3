/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often each address of code has run: the sum of the blocks that have it. QEMU may have
 * translated code several times, cut in other places. Called by outside/pitot/cover.c and lcov.c.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

/* 0, or a negative errno and the reason. */
int counts_add(const struct wire_block *block, struct refusal *why);

/* After the last of them. */
void counts_sort(void);

/* The most that an address from `first` on and before `end` has run. */
uint64_t counts_most(uint64_t first, uint64_t end);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps functions visible in call chains, for the price of a call: on paths that take the kernel
 * lock, which exist to be observed.
 */
#pragma once

/* A static function keeps its frame (noinline) and its name (used: no .isra or .part clones). */
#define VISIBLE __attribute__((noinline, used))

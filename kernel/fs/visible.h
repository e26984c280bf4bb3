/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps functions visible in call chains: the file system exists to be observed, and an inlined
 * function is missing from every report. Costs one call, so it is used only on paths that take the
 * kernel lock.
 */
#pragma once

/* A static function keeps its frame (noinline) and its name (used: no .isra or .part clones). */
#define VISIBLE __attribute__((noinline, used))

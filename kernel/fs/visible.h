/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps functions visible in call chains. This costs a call, so it is used only for functions that
 * exist to be observed, such as those that take the kernel lock.
 */
#pragma once

/* A static function keeps its frame (noinline) and its name (used: no .isra or .part clones). */
#define VISIBLE __attribute__((noinline, used))

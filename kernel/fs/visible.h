/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeping functions in the call chains of those who watch: the file system is here to be observed,
 * and what the compiler folds away is missing from every report. Costs a call, so only on ways that
 * lead to the kernel lock and are told apart by it.
 */
#pragma once

/* A static function keeps its frame (noinline) and its name (used: no .isra or .part clones). */
#define VISIBLE __attribute__((noinline, used))

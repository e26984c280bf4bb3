/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the commands `bench` and `bench-cpus`. Task context. */
#pragma once

#include <stdbool.h>

#include "core/tracepoint/tracepoint.h"

PITOT_TRACEPOINT_DECLARE(bench_hit, 2); /* 28 bytes, 32 with their size */

/*
 * `command` is what a user would type after `perf`; *records tells whether it records or only
 * counts. recording_stop ends it. Returns 0, or a negative errno after the reason has been printed.
 */
int bench_start(const char *command, bool *records);

/* tests/kernel/bench_chain.asm: a call whose chain ends directly above it. */
uint64_t bench_outermost(uint64_t (*function)(unsigned depth), unsigned depth);

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands `bench` and `bench-cpus` share. Task context. */
#pragma once

#include <stdbool.h>

#include "core/tracepoint/define.h"

#define BENCH_FIELDS(FIELD, of)                                                                    \
    FIELD(of, u64, number, "number=%lu")                                                           \
    FIELD(of, u32, half, " half=%u")

TRACEPOINT_DECLARE(bench_hit, BENCH_FIELDS); /* 28 bytes, 32 with their size */

/*
 * `command` is what would be typed behind `perf`; whether that records, not only counts, goes to
 * *records. Ended by recording_stop. 0, or a negative errno, and the reason is printed.
 */
int bench_start(const char *command, bool *records);

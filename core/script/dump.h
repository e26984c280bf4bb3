/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records byte for byte, as the real `perf report -D` prints them. Called by the console's `perf
 * report -D`; task context.
 */
#pragma once

#include "core/lib/print.h"
#include "core/sample/records.h"

/* The records of `source` from its beginning, at offsets from the first; returns how many. */
size_t record_dump_print(struct sink *sink, struct record_source *source);

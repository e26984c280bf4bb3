/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints records byte for byte, as the real `perf report -D` does. Called by the console's `perf
 * report -D`; task context.
 */
#pragma once

#include "core/lib/print.h"
#include "core/sample/records.h"

/* Prints all records of `source`, at offsets from the first. Returns their number. */
size_t record_dump_print(struct sink *sink, struct record_source *source);

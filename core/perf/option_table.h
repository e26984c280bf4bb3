/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of the console's `perf`, as the real perf spells them. Those of record, stat and
 * trace are rows of one table, which sets a struct perf_options. Constant data; any context.
 */
#pragma once

#include "core/lib/option.h"

extern const struct options record_options, stat_options, trace_options;

/* Each subcommand has one, in order of names, NULL after the last; for `help` and TAB. */
extern const struct options *const perf_parts[];

/* NULL: there is none of that name. */
const struct options *perf_part_find(const char *name, size_t length);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of the console's `perf`, spelt as in the real perf. Those of record, stat and trace
 * share one table, which sets a struct perf_options. Constant data; any context.
 */
#pragma once

#include "core/lib/option.h"

extern const struct options record_options, stat_options, trace_options;

/* One entry per subcommand, in order of names, terminated by NULL; for `help` and TAB. */
extern const struct options *const perf_parts[];

/* Returns NULL if there is no subcommand of that name. */
const struct options *perf_part_find(const char *name, size_t length);

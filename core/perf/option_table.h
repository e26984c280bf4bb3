/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of perf's subcommands; those of record, stat and trace set a struct perf_options. Any
 * context.
 */
#pragma once

#include "core/lib/option.h"

extern const struct options record_options, stat_options, trace_options;

/*
 * The options of all subcommands, sorted by name; NULL after the last. For `help` and TAB. Their
 * names in one line, and what they do. Defined by parts_own.c or core/embed/absent.c.
 */
extern const struct options *const perf_parts[];
extern const char perf_usage[], perf_summary[];

extern const struct options list_options;

/* Returns the options of the subcommand `name`, or NULL if there is no such subcommand. */
const struct options *perf_part_find(const char *name, size_t length);

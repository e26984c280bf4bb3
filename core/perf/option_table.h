/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of perf's subcommands; those of record, stat and trace set a struct perf_options. Any
 * context.
 */
#pragma once

#include "core/lib/option.h"
#include "core/lib/string.h"
#include "core/report/report.h"
#include "core/script/script.h"

extern const struct options record_options, report_options, script_options, stat_options,
    trace_options;

/*
 * The options of all subcommands, sorted by name; NULL after the last. For `help` and TAB. Their
 * names in one line, and what they do.
 */
extern const struct options *const perf_parts[];
extern const char perf_usage[], perf_summary[];

/* Returns the options of the subcommand `name`, or NULL if there is no such subcommand. */
static inline const struct options *perf_part_find(const char *name, size_t length)
{
    const struct options *const *part = perf_parts;

    while (*part && (strlen((*part)->name) != length || strncmp((*part)->name, name, length) != 0))
        part++;
    return *part;
}

/*
 * Parse the options of `perf report` and `perf script` (docs/perf.md). Task context. --sort is
 * split in place; report_keys_check then checks that its fields exist.
 */
int report_options_parse(int argc, char **argv, struct report_options *options,
                         struct refusal *why);

int script_options_parse(int argc, char **argv, struct script_options *options,
                         struct refusal *why);

/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of every subcommand of `perf`; see option_table.h. */
#include "core/lib/string.h"
#include "core/perf/option_table.h"
#include "core/perf/report_options.h"

static const struct option none[] = {{.names = {NULL}}};
const struct options list_options = {
    .name = "list",
    .usage = "[PATTERN]...",
    .summary = "the events, and who holds the debug registers",
    .row = none,
};

const struct options *perf_part_find(const char *name, size_t length)
{
    const struct options *const *part = perf_parts;

    while (*part && (strlen((*part)->name) != length || strncmp((*part)->name, name, length) != 0))
        part++;
    return *part;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `perf`, apart from their options, of which a test may need only some. */
#include "core/perf/option_table.h"

const struct options *const perf_parts[] = {
    &list_options, &record_options, &report_options, &script_options, &stat_options, &trace_options,
    NULL};
const char perf_usage[] = "list | record | report | script | stat | trace";
const char perf_summary[] =
    "record and read hits of breakpoints, tracepoints, the clock; trace system calls";

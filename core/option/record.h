/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the words of `perf record`, `perf stat` and `perf trace` to a recording's events and what is
 * done with them. core/option/table.h has the options, `help perf record` and docs/perf.md tell of
 * them. Task context.
 */
#pragma once

#include "core/gather/options.h"
#include "core/lib/refusal.h"

/*
 * argv[0] is "stat", "trace", or another word for "record"; the words are cut up. 0, or a negative
 * errno and the reason.
 */
int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf report`, as the real perf spells them:
 *
 *   -g caller[,N], -g callee[,N], -g none
 *                  call graphs, the outermost caller or the hit first; branches with less than N
 *                  per cent of the total are left out. N is 0 to 100 with up to 4 decimals.
 *                  Without -g, and without N, it is as in perf: callee,0.5
 *   -D, --dump-raw-trace
 *                  each record, byte for byte, in place of a report
 *   -s sym         which is always so here, as are --stdio, --no-children and --no-inline
 *
 * Task context.
 */
#pragma once

#include "core/perf/report.h"
#include "core/refusal.h"

/* argv[0] is "report". 0, or -EINVAL with the reason. */
int report_options_parse(int argc, char **argv, struct report_options *options,
                         struct refusal *why);

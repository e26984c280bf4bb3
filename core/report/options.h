/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf report`, as the real perf spells them:
 *
 *   -g WORD,..., -g none
 *                  call graphs. graph: per cent of the event, fractal: of the branch that forks;
 *                  caller, callee: the outermost caller or the hit comes first; and a number, 0 to
 *                  100 with up to 4 decimals: branches with less per cent are left out. Without -g,
 *                  with a bare one, and without a word it is as in perf: graph,0.5,callee
 *   -D, --dump-raw-trace
 *                  each record, byte for byte, in place of a report
 *   -s KEY,..., --sort KEY,...
 *                  what lines are told apart by: sym, which it is without the option, comm, cpu,
 *                  dso, pid (a task's number and name), and fields of tracepoints
 *   --max-stack N  so many addresses of a chain count, from the end that comes first: 1 to 127
 *   -n, --stdio, --no-children, --no-inline
 *                  are always so here
 *
 * Task context.
 */
#pragma once

#include "core/lib/refusal.h"
#include "core/report/report.h"

/* The value of --max-stack. 0, or -EINVAL with the reason. */
int chain_depth_parse(const char *word, unsigned *depth, struct refusal *why);

/*
 * argv[0] is "report"; the keys of --sort are cut in place. Whether there are such fields is for
 * report_keys_check to say. 0, or -EINVAL with the reason.
 */
int report_options_parse(int argc, char **argv, struct report_options *options,
                         struct refusal *why);

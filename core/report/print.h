/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a sorted report tree as the real perf does with --stdio. Used by core/report/report.c;
 * task context.
 */
#pragma once

#include "core/lib/print.h"
#include "core/report/report.h"
#include "core/report/tree.h"

/*
 * Prints one event's section: the heading, the hits and, if there is one and `options` ask for it,
 * the call graph below each hit.
 */
void report_print_tree(struct sink *sink, const struct report_tree *tree, const char *event_name,
                       const struct report_options *options);

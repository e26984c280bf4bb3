/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sorted report tree as the text that the real perf prints with --stdio. Used by
 * core/report/report.c; task context.
 */
#pragma once

#include "core/lib/print.h"
#include "core/report/report.h"
#include "core/report/tree.h"

/*
 * One event's section: its heading, its hits, and below each hit its call graph, where there is
 * one, as the options say.
 */
void report_print_tree(struct sink *sink, const struct report_tree *tree, const char *event_name,
                       const struct report_options *options);

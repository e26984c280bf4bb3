/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of the console's `perf`, as core/perf/perf.c calls them: argv[0] is the name.
 * Each returns its status, or a negative errno after printing why. Task context.
 */
#pragma once

#include "core/perf/options.h"

/* The events that can be recorded, and the owners of the debug registers. */
int perf_list(int argc, char **argv);

int perf_record(int argc, char **argv); /* also for "trace" */
int perf_stat(int argc, char **argv);
int perf_trace(int argc, char **argv);

/* They read the last recording. */
int perf_report(int argc, char **argv);
int perf_script(int argc, char **argv);

/* The options of the last recording; constant until the next one. */
const struct perf_options *perf_record_options(void);

/*
 * perf.boot= of the kernel command line: `text` is "record -e EVENT ..."; it is changed. Prints why
 * if it is refused.
 */
void perf_record_boot(char *text);

/* Ends and streams what perf_record_boot began, if anything. */
void perf_record_boot_end(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of the console's `perf`, called by core/perf/perf.c; argv[0] is the name. Each
 * returns its status, or a negative errno after printing the reason. Task context.
 */
#pragma once

#include "core/perf/options.h"

/* Lists the events that can be recorded, and the owners of the debug registers. */
int perf_list(int argc, char **argv);

int perf_record(int argc, char **argv); /* also handles "trace" */
int perf_stat(int argc, char **argv);
int perf_trace(int argc, char **argv);

/* Read the last recording. */
int perf_report(int argc, char **argv);
int perf_script(int argc, char **argv);

/* The options of the last recording; constant until the next recording. */
const struct perf_options *perf_record_options(void);

/*
 * Handles perf.boot= of the kernel command line. `text` is "record -e EVENT ..." and is modified.
 * Prints the reason if it is rejected.
 */
void perf_record_boot(char *text);

/* Ends and streams the recording that perf_record_boot began, if any. */
void perf_record_boot_end(void);

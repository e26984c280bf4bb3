/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subcommands of `perf`; argv[0] is the name. On error, each prints the reason and returns a
 * negative errno. Task context.
 */
#pragma once

#include "core/perf/options.h"

int perf_list(int argc, char **argv);
int perf_record(int argc, char **argv); /* perf_trace also calls it */
int perf_stat(int argc, char **argv);
int perf_trace(int argc, char **argv);
int perf_report(int argc, char **argv);
int perf_script(int argc, char **argv);

/* Returns the options of the last `perf record` or `perf trace`; valid until the next command. */
const struct perf_options *perf_record_options(void);

/*
 * Begins the recording that perf.boot= asks for, or prints why it cannot. Modifies `text`, the
 * option's value, such as "record -e EVENT".
 */
void perf_record_boot(char *text);

/* Ends and streams the recording that perf_record_boot began, if any. */
void perf_record_boot_end(void);

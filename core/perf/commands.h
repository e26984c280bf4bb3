/* SPDX-License-Identifier: BSD-2-Clause */
/* Subcommands of `perf`; argv[0] is the name. Each prints why it returns an errno. Task context. */
#pragma once

#include "core/perf/options.h"

int perf_list(int argc, char **argv);
int perf_record(int argc, char **argv); /* also for "trace" */
int perf_stat(int argc, char **argv);
int perf_trace(int argc, char **argv);
int perf_report(int argc, char **argv);
int perf_script(int argc, char **argv);

/* The last recording's options, constant until the next recording. */
const struct perf_options *perf_record_options(void);

/* Begins the recording of perf.boot=, or prints the reason. Modifies `text`: "record -e EVENT". */
void perf_record_boot(char *text);

/* Ends and streams the recording that perf_record_boot began, if any. */
void perf_record_boot_end(void);

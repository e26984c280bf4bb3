/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf record` and `perf stat`. Task context. */
#pragma once

#include "core/option/record.h"

int perf_record(int argc, char **argv); /* argv[0] is "record", or "trace" */
int perf_stat(int argc, char **argv);   /* argv[0] is "stat" */

/* What the last recording was asked for; constant until the next one is. */
const struct perf_options *perf_record_options(void);

/*
 * perf.boot= of the kernel command line: `text` is "record -e EVENT ..."; it is changed. Says so if
 * it is refused.
 */
void perf_record_boot(char *text);

/* Ends and streams what perf_record_boot began; nothing if it began nothing. */
void perf_record_boot_end(void);

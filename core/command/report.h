/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf report` and `perf script`, which read the last recording. Task context. */
#pragma once

int perf_report(int argc, char **argv); /* argv[0] is "report" */
int perf_script(int argc, char **argv); /* argv[0] is "script" */

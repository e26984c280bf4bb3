/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf trace`. Task context. */
#pragma once

int perf_trace(int argc, char **argv); /* argv[0] is "trace" */

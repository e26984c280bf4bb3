/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf list`: the events that can be recorded, and the owners of the debug registers. Task
 * context.
 */
#pragma once

/* argv[0] is "list". 0, or a negative errno after saying why. */
int perf_list(int argc, char **argv);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of each path of functions: the number of calls of its last function, and the
 * instructions that this function executed itself. Called by outside/plugin/run.c for `pitot
 * graph`. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* After follow_init. False: no memory. */
bool graph_init(void);

/*
 * The CPU has executed `time` instructions, and follow_context is current; `called`: a callee
 * begins. Call it after each block that called or may have left a function.
 */
void graph_continue(unsigned cpu, bool called, uint64_t time);

/*
 * At the end, call graph_end for each CPU with its instruction count, then graph_tell, which
 * reports all costs.
 */
void graph_end(unsigned cpu, uint64_t time);
void graph_tell(void);

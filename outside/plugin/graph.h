/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each path of functions costs: how often its last function was called, and how many
 * instructions were executed there. Called by outside/plugin/plugin.c for `pitot graph`. One caller
 * at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* After follow_init. False: no memory. */
bool graph_init(void);

/*
 * That CPU has executed `time` instructions, and the follower knows where it is now; `called`: in
 * what was just called. Needed where the last block has called or may have left a function.
 */
void graph_continue(unsigned cpu, bool called, uint64_t time);

/* At the end: `time` is the CPU's. Before graph_tell, which tells all of it. */
void graph_end(unsigned cpu, uint64_t time);
void graph_tell(void);

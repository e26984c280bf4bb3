/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel gives Pitot (core/pitot.h). */
#pragma once

#include <stddef.h>

/*
 * Calls pitot_init, and returns what it returns. Boot, before any other function of Pitot is
 * called: stacks and traps of this CPU work, memory and the console need not.
 */
const char *host_init(void);

/*
 * Passes memory that survives a reset to the recorder, in addition to the ARCH_KEPT variables.
 * Boot.
 */
void host_set_kept(void *start, size_t bytes);

/*
 * Member command (kernel/console/console.c): runs a line of gdb's `monitor`. Meanwhile ^C is for
 * it, and not for the prompt.
 */
int console_run_for_gdb(const char *line);

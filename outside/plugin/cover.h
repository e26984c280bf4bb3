/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts how often each block runs, for `pitot cover`: translated code adds to a counter, without a
 * callback. QEMU before 9 has no counters per CPU: with several CPUs, it calls back. One caller at
 * a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

/* Takes the value of cover=, which must be 1. Returns NULL, or the form that was expected. */
const char *cover_begin(const char *argument);

bool cover_watch(void);

/* Once, before the machine runs. */
void cover_cpus(unsigned all);

/* Must be called when QEMU has translated this block, perhaps again. `slide`: as of code_check. */
void cover_block(struct qemu_plugin_tb *block, uint64_t slide);

/* Reports the blocks that ran. Returns the number of instructions they executed. */
uint64_t cover_tell(void);

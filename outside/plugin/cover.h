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
#include "outside/request.h"

/* `all`: the most CPUs that the machine may have. */
void cover_begin(const struct request *request, unsigned all);

bool cover_watch(void);

/* Must be called when QEMU has translated this block, perhaps again. `slide`: as of code_check. */
void cover_block(struct qemu_plugin_tb *block, uint64_t slide);

/* Reports the blocks that ran. Returns the number of instructions they executed. */
uint64_t cover_tell(void);

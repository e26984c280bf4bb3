/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts how often each block runs, for `pitot cover`: translated code adds to a counter, without a
 * callback. With several CPUs, QEMU before 9 may lose some additions, but not all of a block. One
 * caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

/* Takes the value of cover=, which must be 1. Returns NULL, or the form that was expected. */
const char *cover_begin(const char *argument);

bool cover_watch(void);

/* Must be called when QEMU has translated this block, perhaps again. */
void cover_block(struct qemu_plugin_tb *block);

/* Reports the blocks that ran. Returns the number of instructions they executed. */
uint64_t cover_tell(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts how often each block runs, for `pitot cover`: translated code adds to a counter, without a
 * callback. With several CPUs, QEMU before 9 may lose some additions, but not all of a block's. One
 * caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

/* cover=1. Returns NULL, or the form that was expected. */
const char *cover_begin(const char *argument);

bool cover_watch(void);

/* QEMU has translated this block. The same block may be translated again. */
void cover_block(struct qemu_plugin_tb *block);

/*
 * Reports each block that has run, in the order of translation. Returns the number of instructions
 * that all of them executed.
 */
uint64_t cover_tell(void);

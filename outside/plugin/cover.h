/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often each block has run, for `pitot cover`: QEMU adds in the translated code, and calls
 * nothing. With several CPUs QEMU before 9 may lose some of the additions, but not all of a
 * block's. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

/* cover=1. NULL, or what is wrong. */
const char *cover_begin(const char *argument);

bool cover_watch(void);

/* QEMU has translated this block. A block may come again. */
void cover_block(struct qemu_plugin_tb *block);

/* Tells each block that has run, in the order of translation. The instructions of all of them. */
uint64_t cover_tell(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What QEMU's callbacks point at. It stays valid until QEMU exits, because translated code keeps
 * it; equal values share one copy, so code that is translated again and again takes no more memory.
 * Needs the plugin's lock.
 */
#pragma once

#include "outside/plugin/facts.h"

/* Return the copy; NULL: no memory. */
const struct code *interned_code(const struct code *code);
const struct block *interned_block(const struct block *block);

/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of a text in memory, one code per byte, unpacked. Called by main.c. */
#pragma once

#include "tools/image/text.h"

/*
 * Fills `codes`, which has text->size bytes. Returns false, with a complaint, unless the text
 * consists of functions of whole instructions with padding between them, and symbols and jumps lead
 * to first bytes of instructions.
 *
 * With `gaps`, reports each fault on stderr, and leaves out its function: all of the function's
 * bytes are INSN_PLAIN, so no access is attributed to it.
 */
bool map_make(const struct text *text, uint8_t *codes, bool gaps);

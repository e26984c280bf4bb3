/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of a text in memory, one code per byte, unpacked. Called by main.c. */
#pragma once

#include "tools/image/text.h"

/*
 * `codes` has text->size bytes. False, with a complaint, unless the text is functions of whole
 * instructions with padding between them, and symbols and jumps lead to first bytes of
 * instructions.
 *
 * With `gaps` each fault is named on stderr, and its function left out: all of its bytes are
 * INSN_PLAIN, so no access is attributed to it.
 */
bool map_make(const struct text *text, uint8_t *codes, bool gaps);

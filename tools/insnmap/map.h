/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The map of a text, in memory: one code a byte, before it is packed. Called by main.c.
 */
#pragma once

#include "tools/image/text.h"

/*
 * `codes` has text->size bytes. False, with a complaint, where the text is not what the map relies
 * on: functions of whole instructions, padding between them, symbols and jumps that lead to first
 * bytes of instructions.
 *
 * With `gaps` what is wrong is named, in a line of stderr each, and the function that it lies in is
 * left out: each byte of it is INSN_PLAIN, so no access is ever said to be an instruction's there.
 */
bool map_make(const struct text *text, uint8_t *codes, bool gaps);

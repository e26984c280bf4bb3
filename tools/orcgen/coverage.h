/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds that call frame information speaks of all code: what it does not cover must be padding.
 * Called by main.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/image/text.h"

/*
 * `covered`: for each byte of the text. False, with a complaint naming the first bare code. With
 * `gaps`, words that say what holds there, each piece of bare code is named, and all of it counted.
 */
bool coverage_check(const struct text *text, const uint8_t *covered, const char *gaps);

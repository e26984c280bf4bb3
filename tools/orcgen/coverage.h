/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that all code has call frame information: the rest must be padding. Called by main.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/image/text.h"

/*
 * `covered` has an element for each byte of the text (cfi.h). Returns false, with a complaint, at
 * the first code that is not covered. With `gaps`, a text for the complaints, reports and counts
 * all such code instead.
 */
bool coverage_check(const struct text *text, const uint8_t *covered, const char *gaps);

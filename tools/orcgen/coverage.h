/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that all code has call frame information: the rest must be padding. Called by main.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/image/text.h"

/*
 * `covered`: for each byte of the text. False, with a complaint about the first bare code. `gaps`,
 * a text for the complaint: all bare code is named and counted instead.
 */
bool coverage_check(const struct text *text, const uint8_t *covered, const char *gaps);

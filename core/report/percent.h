/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Percentages as the real perf prints them, without floating point. Pure: any context.
 */
#pragma once

#include <stdint.h>

/*
 * The digits that printf("%.2f", 100.0 * part / whole) shows on a machine with IEEE doubles, as
 * hundredths: 5172 for "51.72". 0 where whole is 0. part is at most whole.
 */
uint64_t percent_hundredths(uint64_t part, uint64_t whole);

#define PERCENT_UNITS 10000 /* of one per cent, in percent_least */

/*
 * The least that counts as so many per cent of the whole: what (uint64_t)(whole * (percent / 100))
 * gives on such a machine. Not over 100 per cent.
 */
uint64_t percent_least(uint64_t whole, uint32_t percent_units);

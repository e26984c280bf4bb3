/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Percentages as the real perf prints them, without floating point. Pure: any context.
 */
#pragma once

#include <stdint.h>

/*
 * The digits that printf("%.2f", 100.0 * part / whole) prints on a machine with IEEE doubles, as
 * hundredths: 5172 for "51.72". 0 if whole is 0. part is at most whole.
 */
uint64_t percent_hundredths(uint64_t part, uint64_t whole);

#define PERCENT_UNITS 10000 /* units per per cent, in percent_least */

/*
 * The smallest part that reaches the percentage of `whole`: (uint64_t)(whole * (percent / 100)) on
 * such a machine. At most 100 per cent.
 */
uint64_t percent_least(uint64_t whole, uint32_t percent_units);

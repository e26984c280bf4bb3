/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentages as the real perf prints them, without floating point. Pure: any context. */
#pragma once

#include <stdint.h>

/*
 * printf("%.2f", 100.0 * part / whole) with IEEE doubles, in hundredths: 5172 for "51.72". 0 if
 * `whole` is 0. `part` is at most `whole`.
 */
uint64_t percent_hundredths(uint64_t part, uint64_t whole);

#define PERCENT_UNITS 10000 /* units per per cent, in percent_least */

/* (uint64_t)(whole * (percent / 100)) with IEEE doubles. At most 100 per cent. */
uint64_t percent_least(uint64_t whole, uint32_t percent_units);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as printf prints IEEE doubles, without floating point. Pure: any context. */
#pragma once

#include <stdint.h>

/* printf("%.2f", 100.0 * part / whole), in hundredths; 0 if `whole` is 0. part <= whole. */
uint64_t percent_hundredths(uint64_t part, uint64_t whole);

/* printf("%.3f", (double)part / whole), in thousandths. `whole` is at least 2^12. */
uint64_t quotient_thousandths(uint64_t part, uint64_t whole);

#define PERCENT_UNITS 10000 /* percent_units in one per cent */

/*
 * (uint64_t)(whole * (percent / 100)), where percent is percent_units / PERCENT_UNITS, at most 100.
 */
uint64_t percent_least(uint64_t whole, uint32_t percent_units);

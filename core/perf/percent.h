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

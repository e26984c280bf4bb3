/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the races of race_rows.h. Called by outside/pitot/race.c. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/*
 * Prints the rows, those of the same functions together, `most` of these groups (0: all). Returns
 * how many there are.
 */
uint64_t race_print(FILE *file, uint64_t most);

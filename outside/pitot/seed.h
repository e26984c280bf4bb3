/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's seed, if the user gives none. Called by race.c and repeat.c. */
#pragma once

#include <stdint.h>

/* From 1 to 10000: it is printed, and typed again. */
uint64_t seed_choose(void);

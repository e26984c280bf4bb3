/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the console's `perf` with what their words may be, for `help` and TAB. Any context.
 */
#pragma once

#include "core/lib/option.h"

/* In order of names, NULL after the last. */
extern const struct options *const perf_parts[];

/* NULL: there is none of that name. */
const struct options *perf_part_find(const char *name, size_t length);

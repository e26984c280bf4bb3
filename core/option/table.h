/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf record`, `perf stat` and `perf trace`, as the real perf spells them: rows of
 * one table, which sets a struct gathered. Task context.
 */
#pragma once

#include "core/lib/option.h"

extern const struct options record_options, stat_options, trace_options;

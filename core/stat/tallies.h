/* SPDX-License-Identifier: BSD-2-Clause */
/* What `perf stat` and `perf record` print of their events' tallies. Task context. */
#pragma once

#include "core/option/record.h"

/*
 * Takes the memory for sorting, if any of these events has a tally. Returns 0, or -ENOMEM and the
 * reason.
 */
int tallies_prepare(const struct perf_options *options, struct refusal *why);

/* Prints those of the recording. */
void tallies_print(const struct perf_options *options);

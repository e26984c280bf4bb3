/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints aggregates as text. Task context. */
#pragma once

#include "core/aggregate/lines.h"
#include "core/lib/print.h"

void aggregate_print(struct sink *sink, const char *event, const struct aggregate *aggregate,
                     const struct aggregate_sums *sums);

/* Called after the last interval: prints the hits that no interval's lines include, if any. */
void aggregate_print_rest(struct sink *sink, const char *event, const struct aggregate *aggregate,
                          const struct aggregate_sums *sums);

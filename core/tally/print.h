/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints tallies as text. Task context. */
#pragma once

#include "core/lib/print.h"
#include "core/tally/lines.h"

void tally_print(struct sink *sink, const char *event, const struct tally *tally,
                 const struct tally_sums *sums);

/* Called after the last interval: prints the hits that no interval's lines include, if any. */
void tally_print_rest(struct sink *sink, const char *event, const struct tally *tally,
                      const struct tally_sums *sums);

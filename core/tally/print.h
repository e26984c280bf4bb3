/* SPDX-License-Identifier: BSD-2-Clause */
/* A tally as text. Task context. */
#pragma once

#include "core/lib/print.h"
#include "core/tally/lines.h"

/* Prints the sums of that event's tally. */
void tally_print(struct sink *sink, const char *event, const struct tally *tally,
                 const struct tally_sums *sums);

/* Prints these lines of one interval (tally_lines_marked). */
void tally_print_interval(struct sink *sink, const char *event, const struct tally *tally,
                          const struct tally_line *lines, size_t count);

/* Prints, after the last interval, what no line of any interval has; nothing if there is none. */
void tally_print_rest(struct sink *sink, const char *event, const struct tally *tally,
                      const struct tally_sums *sums);

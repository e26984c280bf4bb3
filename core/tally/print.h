/* SPDX-License-Identifier: BSD-2-Clause */
/* A tally as text. Task context. */
#pragma once

#include "core/lib/print.h"
#include "core/tally/lines.h"

/* Prints the tally of that event; `lines` has room for tally_lines_most(). */
void tally_print(struct sink *sink, const char *event, const struct tally *tally,
                 struct tally_line *lines);

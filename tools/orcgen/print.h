/* SPDX-License-Identifier: BSD-2-Clause */
/* The table in words and figures, for people and scripts. Called by main.c. */
#pragma once

#include <stddef.h>

#include "tools/image/text.h"
#include "tools/orcgen/table.h"

/* A line for each row: where, what the CFA is, where the caller's rbp and return address are. */
void print_rows(const struct text *text, const struct table_row *rows, size_t count);

/* One line of `name=figure`. */
void print_sizes(const struct table *table);

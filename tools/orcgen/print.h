/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table. Called by main.c. */
#pragma once

#include <stddef.h>

#include "tools/image/text.h"
#include "tools/orcgen/table.h"

/* A line per row: place, CFA, and the caller's rbp. */
void print_rows(const struct text *text, const struct table_row *rows, size_t count);

/* One line of `name=figure`. */
void print_sizes(const struct table *table);

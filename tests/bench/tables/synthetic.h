/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of an invented text, distributed like those of Debian's vmlinux 6.1 (14.8 MiB of text,
 * 306,000 rows, once those of padding are merged with their neighbours). The figures were taken
 * from that file's ORC table, so that no such file is needed here:
 *
 *   rows       2.5 in 128 bytes on average, 62 at most
 *   rules      402 different ones; the 16 most frequent make 90 % of the rows, 32: 95 %, 64: 98 %,
 *              128: 99.5 %
 *   their kind 98 % count the CFA from sp, at 8 to 256 bytes; the frame pointer is the caller's in
 *              57 % of all, or saved at CFA - 16 (9.4 %), - 24 (7.8 %), - 32 (6 %), - 40 (4.8 %),
 *              - 48 (13.7 %)
 *
 * The rows are the same every time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/orcgen/table.h"

#define SYNTHETIC_RULES 402

struct synthetic {
    struct table_row *rows;
    size_t count;
    uint32_t text_size;
    uint32_t used[SYNTHETIC_RULES]; /* rows per rule, the most frequent rule first */
    uint32_t crowd;                 /* the most rows in 128 bytes */
};

#define SYNTHETIC_LINUX_ROWS 306000u
#define SYNTHETIC_LINUX_TEXT ((uint32_t)(14.8 * 1024 * 1024))

/* Makes about `rows` rows for `text_size` bytes of text. False: out of memory. */
bool synthetic_make(struct synthetic *synthetic, size_t rows, uint32_t text_size);
/* Prints the list above, as measured. */
void synthetic_print(const struct synthetic *synthetic);
void synthetic_free(struct synthetic *synthetic);

/* Uniform in 0 to `below` - 1. */
struct synthetic_random {
    uint64_t state;
};

uint32_t synthetic_random(struct synthetic_random *random, uint32_t below);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded history: a ring with some records, a writer that writes a few more and may be
 * interrupted once, and a reader that reads meanwhile and, once the writer has ended, everything
 * that is left. A side that detects an error ends with a fault.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

#define HISTORY_RECORDS 6
#define HISTORY_NEVER   UINT32_MAX

/* Sizes of records, terminated by 0. */
struct history_sizes {
    uint32_t of[HISTORY_RECORDS + 1];
};

struct history {
    enum ring_mode mode;
    uint32_t size;               /* of the ring */
    uint64_t position;           /* of the oldest record */
    struct history_sizes before; /* already in the ring */
    struct history_sizes writes; /* by the writer */
    struct history_sizes nested; /* by the interrupt, which occurs ... */
    uint32_t interrupted;        /* ... before this operation of the writer, or never */
};

/* The programs of the two sides, and the initial contents of memory, for `history`. */
void history_set(const struct history *history);
void history_writer(void);
void history_reader(void);
void history_memory(uint64_t memory[]);

/* The most operations, at which interrupts may occur, that the writer makes. */
uint32_t history_operations(void);

void history_print(const struct history *history);

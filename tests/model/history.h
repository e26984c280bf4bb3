/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded history: a ring with some records in it, a writer that writes a few more and may be
 * interrupted once, a reader that reads meanwhile and, once the writer has ended, all that is left.
 * A side that detects an error ends with a fault.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

#define HISTORY_RECORDS 6
#define HISTORY_NEVER   UINT32_MAX

/* Sizes of records; ends with a 0. */
struct history_sizes {
    uint32_t of[HISTORY_RECORDS + 1];
};

struct history {
    enum ring_mode mode;
    uint32_t size;               /* of the ring */
    uint64_t position;           /* where the oldest record lies */
    struct history_sizes before; /* in the ring already */
    struct history_sizes writes; /* by the writer */
    struct history_sizes nested; /* by the interrupt, which comes ... */
    uint32_t interrupted;        /* ... before this operation of the writer, or never */
};

/* The programs of the two sides, and what memory holds at first, of `history`. */
void history_set(const struct history *history);
void history_writer(void);
void history_reader(void);
void history_memory(uint64_t memory[]);

/* So many operations, where interrupts may come, or less, the writer makes. */
uint32_t history_operations(void);

void history_print(const struct history *history);

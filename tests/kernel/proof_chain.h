/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the unwinder's chains with the expected ones, frame by frame: those of unwind_capture
 * and of the iterator. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

#define CHAIN_MOST   256
#define PLACES_MOST  3
#define PLACE_FRAMES 40

/* A wrong chain, for the report. */
struct chain_place {
    uint64_t is[PLACE_FRAMES], should_be[PLACE_FRAMES];
    size_t is_length, should_be_length;
};

struct chain_tally {
    uint64_t checked;
    uint64_t wrong;                         /* chains that are not as expected */
    uint64_t missing, extra, other;         /* their frames: left out, too many, different */
    uint64_t iterated, iterated_wrong;      /* chains by the iterator */
    struct chain_place places[PLACES_MOST]; /* the first wrong ones, at different addresses */
    size_t place_count;
};

/* Checks the chain of unwind_capture_by. True if it is right. */
bool chain_check(struct chain_tally *tally, enum unwind_method method, const struct regs *regs,
                 const uint64_t *should_be, size_t length);

/* Checks the iterator's chain, which must be complete. True if it is right. */
bool chain_check_iterator(struct chain_tally *tally, enum unwind_method method,
                          const struct regs *regs, const uint64_t *should_be, size_t length);

/*
 * True if each address of chain[1..length) directly follows a call instruction, and, if that call
 * is direct, it calls the function of the address before it in the chain.
 */
bool chain_is_called(const uint64_t *chain, size_t length);

/* Prints the places with symbols, as notes. Task context. */
void chain_print_places(const struct chain_tally *tally);

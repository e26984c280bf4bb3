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

/* A chain that was not right, for the report. */
struct chain_place {
    uint64_t is[PLACE_FRAMES], should_be[PLACE_FRAMES];
    size_t is_length, should_be_length;
};

struct chain_tally {
    uint64_t checked;
    uint64_t wrong;                    /* chains that are not what they must be */
    uint64_t missing, extra, other;    /* frames of theirs: left out, too many, another address */
    uint64_t iterated, iterated_wrong; /* chains by the iterator */
    struct chain_place places[PLACES_MOST]; /* the first, each of another address */
    size_t place_count;
};

/* By unwind_capture_by. True if the chain is right. */
bool chain_check(struct chain_tally *tally, enum unwind_method method, const struct regs *regs,
                 const uint64_t *should_be, size_t length);

/* By the iterator, to which it has to be whole. True if the chain is right. */
bool chain_check_iterator(struct chain_tally *tally, enum unwind_method method,
                          const struct regs *regs, const uint64_t *should_be, size_t length);

/*
 * True if each address of chain[1..length) directly follows a call instruction, and, if that call
 * is direct, it calls the function of the address before it in the chain.
 */
bool chain_is_called(const uint64_t *chain, size_t length);

/* The places, symbolised, as notes. Task context. */
void chain_print_places(const struct chain_tally *tally);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one side does, as a tree: a node is the next operation that the other side could notice, and
 * a load has a child for each value that it may return. A side depends only on these values, so the
 * tree is grown by running its program from the start with the values on the path to a node, until
 * it does something new. The two sides are then interleaved as nodes (tests/model/explore.h),
 * without threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/memory.h"

enum step {
    STEP_LOAD,
    STEP_STORE,
    STEP_ORDER, /* a barrier alone */
    STEP_NOTE,  /* no operation: marks that the side's whole state is known here */
    STEP_ASK,   /* has the other side ended, and have all its stores arrived? 0 or 1 */
    STEP_END,
    STEP_FAULT, /* the program has detected an error */
};

/* The known values of a location are identified by number; the first one is 0. */
#define VALUES_MAX 24

struct node {
    enum step step;
    enum letter letter;
    uint8_t location;
    uint8_t value;              /* of a store, by number */
    uint64_t result;            /* the program's result at its end */
    const char *fault;          /* STEP_FAULT */
    uint32_t parent;            /* index of the parent; of the first one found, where several lead
                                 * here */
    uint8_t answer;             /* ... for this answer */
    uint32_t child[VALUES_MAX]; /* by answer, of a load or a question; otherwise [0]; 0: unknown */
};

/* Ends with transcript_end or transcript_fault. */
typedef void transcript_program(void);

/* Forgets all trees and values. The programs must do the same each time they run. */
void transcript_reset(transcript_program *writer, transcript_program *reader);

uint32_t transcript_first(enum side side);
const struct node *transcript_node(enum side side, uint32_t node);
uint32_t transcript_next(enum side side, uint32_t node, unsigned answer);

/* Converts values to numbers and back. The number of known values only grows. */
unsigned transcript_number(unsigned location, uint64_t value);
uint64_t transcript_value(unsigned location, unsigned number);
unsigned transcript_values(unsigned location);
unsigned transcript_values_in_all(void);

/* --- Called by the running program. --- */
uint64_t transcript_load(unsigned location, enum letter letter);
void transcript_store(unsigned location, uint64_t value, enum letter letter);
void transcript_order(enum letter letter);
bool transcript_ask(void);
_Noreturn void transcript_end(uint64_t result);
_Noreturn void transcript_fault(const char *fault);

/* Programs that reach this with equal `state` continue identically, given the same answers. */
#define NOTE_MAX 384
void transcript_note(const void *state, size_t size);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory shared by a writer on one CPU and a reader on another, as named by the ring's
 * operations (tests/model/arch/local.h): the words of the ring, `published` and `tail`,
 * each a location of the model. The ring's other fields belong to the writer.
 *
 * Each side runs separately (tests/model/transcript.h) on `memory_ring`, which then holds what that
 * side has stored. The model answers its loads of what the other side stores.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

#define MEMORY_WORDS 8 /* the largest ring */

enum location {
    LOCATION_PUBLISHED = MEMORY_WORDS, /* the words come before this */
    LOCATION_TAIL,
    LOCATIONS,
};

enum side { WRITER, READER, SIDES };

/* The barriers of core/ring/ring.c; an operation without a letter orders nothing else. */
enum letter {
    LETTER_NONE,
    LETTER_A_WRITER, /* the tail's move before the bytes */
    LETTER_A_READER, /* the copy before the second look */
    LETTER_B_WRITER, /* the bytes before published */
    LETTER_B_READER, /* published before the bytes */
    LETTER_C_WRITER, /* the tail before the bytes */
    LETTER_C_READER, /* the copy before the tail */
    LETTERS,
};

extern struct ring memory_ring;

/*
 * Makes an empty ring of `size` bytes at `position`; `side` runs from now on. Nothing is reported
 * before memory_tell, which gives the reader a ring whose bytes end the program if it loads them
 * other than by a named operation.
 */
void memory_start(enum side side, enum ring_mode mode, uint64_t size, uint64_t position);
void memory_tell(void);

/* Called before each operation of the writer, where an interrupt may occur. */
extern void (*memory_interrupt)(void);
void memory_moment(void);

/*
 * Called before each of the reader's loads of `published`, which begins an iteration of its loop.
 */
extern void (*memory_turn)(void);

void memory_store(uint64_t *to, uint64_t value);
void memory_publish(uint64_t *to, uint64_t value);
uint64_t memory_load(const uint64_t *from);
void memory_order_stores(void);
void memory_order_loads(void);

/* The tail as this side last loaded it. */
uint64_t memory_tail_seen(void);

/* The contents of a location on memory_ring, and its name. */
uint64_t memory_word(unsigned location);
const char *memory_name(unsigned location);

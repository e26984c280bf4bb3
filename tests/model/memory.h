/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that a writer on one CPU and a reader on another share, as the ring's operations name
 * it (tests/model/arch/x86_64/cpu/local.h): the words of the ring, `published` and `tail`, each a
 * location of the model. The ring's other fields are the writer's alone.
 *
 * Each side runs by itself (tests/model/transcript.h) on `memory_ring`, which then shows what that
 * side has stored. Where it loads what the other side stores, the model answers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/ring/ring.h"

#define MEMORY_WORDS 8 /* the largest ring */

enum location {
    LOCATION_PUBLISHED = MEMORY_WORDS, /* below: the words */
    LOCATION_TAIL,
    LOCATIONS,
};

enum side { WRITER, READER, SIDES };

/* The barriers of core/ring/ring.c; what has none orders nothing but itself. */
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
 * An empty ring of `size` bytes at `position`; from here on `side` runs. What happens is not told
 * until memory_tell, which leaves the reader a ring whose bytes end the program if it loads them by
 * any other than a named operation.
 */
void memory_start(enum side side, enum ring_mode mode, uint64_t size, uint64_t position);
void memory_tell(void);

/* Called before each operation of the writer: where an interrupt may come. */
extern void (*memory_interrupt)(void);
void memory_moment(void);

/* Called before each load of `published` by the reader, with which a turn of its loop begins. */
extern void (*memory_turn)(void);

void memory_store(uint64_t *to, uint64_t value);
void memory_publish(uint64_t *to, uint64_t value);
uint64_t memory_load(const uint64_t *from);
void memory_order_stores(void);
void memory_order_loads(void);

/* The tail as this side has loaded it last. */
uint64_t memory_tail_seen(void);

/* What a location holds on memory_ring, and its name. */
uint64_t memory_word(unsigned location);
const char *memory_name(unsigned location);

/* SPDX-License-Identifier: BSD-2-Clause */
/* See memory.h. */
#include "tests/model/memory.h"

#include <stddef.h>

#include <sanitizer/asan_interface.h>

#include "tests/model/transcript.h"

struct ring memory_ring;
void (*memory_interrupt)(void);
void (*memory_turn)(void);

static _Alignas(8) uint64_t words[MEMORY_WORDS];
static enum side side;
static bool telling;
static uint64_t tail_seen;

void memory_start(enum side who, enum ring_mode mode, uint64_t size, uint64_t position)
{
    ASAN_UNPOISON_MEMORY_REGION(words, sizeof(words));
    for (unsigned i = 0; i < MEMORY_WORDS; i++)
        words[i] = 0;
    memory_ring = (struct ring){.bytes = (uint8_t *)words,
                                .size = size,
                                .mask = size - 1,
                                .mode = mode,
                                .head = position,
                                .published = position,
                                .tail = position};
    side = who;
    telling = false;
    tail_seen = 0;
}

void memory_tell(void)
{
    telling = true;
    if (side == READER)
        ASAN_POISON_MEMORY_REGION(words, sizeof(words));
}

void memory_moment(void)
{
    if (side == WRITER && memory_interrupt)
        memory_interrupt();
}

static unsigned location_of(const uint64_t *place)
{
    if (place >= words && place < words + MEMORY_WORDS)
        return (unsigned)(place - words);
    if (place == &memory_ring.published)
        return LOCATION_PUBLISHED;
    return place == &memory_ring.tail ? LOCATION_TAIL : LOCATIONS;
}

static void store(uint64_t *to, uint64_t value, enum letter letter)
{
    unsigned location = location_of(to);

    *to = value;
    if (telling && location < LOCATIONS)
        transcript_store(location, value, letter);
}

void memory_store(uint64_t *to, uint64_t value)
{
    store(to, value, LETTER_NONE);
}

void memory_publish(uint64_t *to, uint64_t value)
{
    store(to, value, side == WRITER ? LETTER_B_WRITER : LETTER_C_READER);
}

/*
 * A location that only this side stores to, so that its loads return its own last store: the
 * writer's own tail.
 */
static bool is_own(unsigned location)
{
    return side == WRITER && (location != LOCATION_TAIL || memory_ring.mode == RING_OVERWRITE);
}

static enum letter letter_of_load(unsigned location)
{
    if (side == WRITER)
        return LETTER_C_WRITER;
    return location == LOCATION_PUBLISHED ? LETTER_B_READER : LETTER_NONE;
}

uint64_t memory_load(const uint64_t *from)
{
    unsigned location = location_of(from);
    uint64_t value;

    if (!telling || is_own(location))
        return *from;
    if (side == READER && location == LOCATION_PUBLISHED && memory_turn)
        memory_turn();
    value = transcript_load(location, letter_of_load(location));
    if (location == LOCATION_TAIL)
        tail_seen = value;
    return value;
}

void memory_order_stores(void)
{
    if (telling)
        transcript_order(LETTER_A_WRITER);
}

void memory_order_loads(void)
{
    if (telling)
        transcript_order(LETTER_A_READER);
}

uint64_t memory_tail_seen(void)
{
    return tail_seen;
}

uint64_t memory_word(unsigned location)
{
    if (location == LOCATION_PUBLISHED)
        return memory_ring.published;
    return location == LOCATION_TAIL ? memory_ring.tail : words[location];
}

const char *memory_name(unsigned location)
{
    static const char *const names[LOCATIONS] = {"word 0",
                                                 "word 1",
                                                 "word 2",
                                                 "word 3",
                                                 "word 4",
                                                 "word 5",
                                                 "word 6",
                                                 "word 7",
                                                 [LOCATION_PUBLISHED] = "published",
                                                 [LOCATION_TAIL] = "tail"};

    return names[location];
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects that the kernel's allocators have returned, live and freed. Called by
 * outside/plugin/heap.c, with the plugin's lock.
 *
 * A freed object is known until an allocator returns a byte of its first word again. Objects that
 * do not begin at a multiple of 8 are known by their first byte, and accesses to them are not
 * judged.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OBJECTS_CPU_BITS 9 /* numbers below FOLLOW_CPUS */

/* An allocation or a free. Packed: there is one of each for every object. */
struct __attribute__((packed)) touch {
    uint64_t cpu : OBJECTS_CPU_BITS, time : 64 - OBJECTS_CPU_BITS; /* time 0: it has not happened */
    uint32_t context;
};

struct object {
    uint64_t start, size;
    struct touch allocated, freed;
    uint32_t next;  /* in its bucket */
    uint16_t guard; /* bytes behind it that are nothing else's */
    uint8_t family; /* of allocators; 0: any */
    bool live : 1;
    bool held : 1;    /* freed, but its allocator does not know it */
    bool moves : 1;   /* realloc was given it, and has not returned */
    uint8_t told : 3; /* for the caller's use */
};

_Static_assert(sizeof(struct object) == 48, "docs/outside.md, \"The heap\"");

/* False: no memory. */
bool objects_begin(void);

/*
 * Return the object that begins at, contains, or lies nearest to the address, at most
 * HEAP_BESIDE bytes away; NULL: there is none. Valid until the next objects_add.
 */
struct object *objects_at(uint64_t address);
struct object *objects_with(uint64_t address);
struct object *objects_near(uint64_t address);

/* An object is returned. False: no room. */
bool objects_add(const struct object *object);

/* The object is freed, or is not one any more: another takes its place. */
void objects_free(struct object *object, struct touch by);
void objects_replace(struct object *object);

/* The memory is the allocators' own again. */
void objects_forget(uint64_t start, uint64_t size);

/* All are gone. */
void objects_reset(void);

/* Calls `take` for each live object. */
void objects_each(void (*take)(const struct object *object));

/*
 * Implemented by the caller: the memory of a live object was returned again; and what is beside the
 * address is not the heap's before `from` or from `until` on.
 */
void objects_overwritten(const struct object *object);
void objects_limits(uint64_t address, uint64_t *from, uint64_t *until);

/*
 * --- A shadow of the memory of heaps: heap_words.c ---
 *
 * A state for each aligned word of 8 bytes, and which words begin an object. Written with the lock,
 * and read without one for each access that is judged.
 */

#define HEAP_WORD        8u
#define HEAP_BESIDE      32u /* bytes before and behind an object that are judged */
#define HEAP_REGION_BITS 30
#define HEAP_REGION      (UINT64_C(1) << HEAP_REGION_BITS)
#define HEAP_REGIONS     64u

/* A word's state: all its bytes, or its first ones, are an object's, or one of these. */
enum {
    HEAP_WORD_OTHER = 0,
    HEAP_WORD_LIVE = HEAP_WORD,
    HEAP_WORD_NEAR,
    HEAP_WORD_FREED,
    HEAP_WORD_OPEN
};

extern struct heap_words_region {
    uint64_t number;
    uint8_t *states;  /* of each word; NULL: the region has no object */
    uint64_t *starts; /* a bit for each word in which an object begins */
} heap_words_regions[HEAP_REGIONS];

/* The address of the word that has this byte. */
static inline uint64_t heap_word_start(uint64_t address)
{
    return address & ~(uint64_t)(HEAP_WORD - 1);
}

/* Makes room for the words around the address. False: there is none. */
bool heap_words_make(uint64_t address);

/* Sets the words of a range; the last one keeps how many of its bytes are an object's. */
void heap_words_set(uint64_t start, uint64_t size, uint8_t state);

/*
 * Sets those around an object that ends at `last`: the allocator's memory, but only in its pages,
 * or the guard: the next ones may be others', as may be what is before `from` or from `until` on.
 */
void heap_words_set_beside(uint64_t start, uint64_t last, uint16_t guard, uint64_t from,
                           uint64_t until);

/* Words that an object shares with another, or may: accesses to them are not judged. */
void heap_words_open(uint64_t start, uint64_t size);

/* An object begins in the word, or none does. */
void heap_words_set_start(uint64_t address, bool starts);

/* Returns the last word from `least` to the address in which one begins; UINT64_MAX: none. */
uint64_t heap_words_last_start(uint64_t least, uint64_t address);

/* All are no heap's. */
void heap_words_reset(void);

static inline uint8_t heap_words_state(uint64_t address)
{
    uint64_t number = address >> HEAP_REGION_BITS;

    for (unsigned i = 0; i < HEAP_REGIONS; i++) {
        const struct heap_words_region *region = &heap_words_regions[(number + i) % HEAP_REGIONS];
        const uint8_t *states = __atomic_load_n(&region->states, __ATOMIC_ACQUIRE);

        if (!states)
            return HEAP_WORD_OTHER;
        if (region->number == number)
            return states[address % HEAP_REGION / HEAP_WORD];
    }
    return HEAP_WORD_OTHER;
}

/*
 * Quick and for most accesses enough: true if the 32 bytes from the address's word on are one
 * object's, or not the heap's.
 */
static inline bool heap_words_are_plain(uint64_t address)
{
    uint64_t number = address >> HEAP_REGION_BITS;
    const struct heap_words_region *region = &heap_words_regions[number % HEAP_REGIONS];
    const uint8_t *states = __atomic_load_n(&region->states, __ATOMIC_ACQUIRE);
    uint32_t four;

    if (!states)
        return true;
    if (region->number != number)
        return false;
    memcpy(&four, states + (address % HEAP_REGION) / HEAP_WORD, sizeof(four));
    return four == HEAP_WORD_OTHER || four == HEAP_WORD_LIVE * 0x01010101u;
}

/* True if bytes up to `end` of a word, 1 to 8, are good. */
static inline bool heap_words_is_good(uint8_t state, uint64_t end)
{
    return state == HEAP_WORD_OTHER || state == HEAP_WORD_OPEN ||
           (state <= HEAP_WORD_LIVE && end <= state);
}

/*
 * True if none of these bytes is freed, or beside an object. An access that is not good has to be
 * looked at again with the lock.
 */
static inline bool heap_words_are_good(uint64_t address, unsigned length)
{
    uint64_t end = address + length, word = heap_word_start(address);

    for (; word < end; word += HEAP_WORD)
        if (!heap_words_is_good(heap_words_state(word),
                                end - word < HEAP_WORD ? end - word : HEAP_WORD))
            return false;
    return true;
}

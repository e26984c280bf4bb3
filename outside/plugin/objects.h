/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects that the kernel's allocators have returned, live and freed, and a shadow of the
 * memory around them: a byte for each aligned word of 8 bytes. Called by outside/plugin/heap.c,
 * with the plugin's lock, but for objects_are_good.
 *
 * A freed object is known until an allocator returns a byte of its first word again. Objects that
 * do not begin at a multiple of 8 are known by their first byte, and accesses to them are not
 * judged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OBJECTS_WORD     8u
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
 * True if none of these bytes is freed, or beside an object. Needs no lock: an access that is not
 * good has to be looked at again with it.
 */
static inline bool objects_are_good(uint64_t address, unsigned length);

/*
 * Return the object that begins at, contains, or lies nearest to the address, at most
 * OBJECTS_BESIDE bytes away; NULL: there is none. Valid until the next objects_add.
 */
#define OBJECTS_BESIDE 32u
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

/* --- The shadow --- */

#define OBJECTS_REGION_BITS 30
#define OBJECTS_REGION      (UINT64_C(1) << OBJECTS_REGION_BITS)
#define OBJECTS_REGIONS     64u

/* A word's state: all its bytes, or its first ones, are an object's, or one of these. */
enum {
    OBJECTS_NOT_HEAP = 0,
    OBJECTS_LIVE = OBJECTS_WORD,
    OBJECTS_NEAR,
    OBJECTS_FREED,
    OBJECTS_OPEN
};

extern struct objects_region {
    uint64_t number;
    uint8_t *states;  /* of each word; NULL: the region has no object */
    uint64_t *starts; /* a bit for each word in which an object begins */
} objects_regions[OBJECTS_REGIONS];

static inline uint8_t objects_state(uint64_t address)
{
    uint64_t number = address >> OBJECTS_REGION_BITS;

    for (unsigned i = 0; i < OBJECTS_REGIONS; i++) {
        const struct objects_region *region = &objects_regions[(number + i) % OBJECTS_REGIONS];
        const uint8_t *states = __atomic_load_n(&region->states, __ATOMIC_ACQUIRE);

        if (!states)
            return OBJECTS_NOT_HEAP;
        if (region->number == number)
            return states[address % OBJECTS_REGION / OBJECTS_WORD];
    }
    return OBJECTS_NOT_HEAP;
}

/*
 * Quick and for most accesses enough: true if the 32 bytes from the address's word on are one
 * object's, or not the heap's.
 */
static inline bool objects_are_plain(uint64_t address)
{
    uint64_t number = address >> OBJECTS_REGION_BITS;
    const struct objects_region *region = &objects_regions[number % OBJECTS_REGIONS];
    const uint8_t *states = __atomic_load_n(&region->states, __ATOMIC_ACQUIRE);
    uint32_t four;

    if (!states)
        return true;
    if (region->number != number)
        return false;
    memcpy(&four, states + (address % OBJECTS_REGION) / OBJECTS_WORD, sizeof(four));
    return four == OBJECTS_NOT_HEAP || four == OBJECTS_LIVE * 0x01010101u;
}

/* True if bytes up to `end` of a word, 1 to 8, are good. */
static inline bool objects_is_good(uint8_t state, uint64_t end)
{
    return state == OBJECTS_NOT_HEAP || state == OBJECTS_OPEN ||
           (state <= OBJECTS_LIVE && end <= state);
}

static inline bool objects_are_good(uint64_t address, unsigned length)
{
    uint64_t end = address + length, word = address & ~(uint64_t)(OBJECTS_WORD - 1);

    for (; word < end; word += OBJECTS_WORD)
        if (!objects_is_good(objects_state(word),
                             end - word < OBJECTS_WORD ? end - word : OBJECTS_WORD))
            return false;
    return true;
}

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

#include "outside/plugin/heap_words.h"

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

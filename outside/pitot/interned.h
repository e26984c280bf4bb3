/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of any bytes, each kept once and numbered from 0 in the order of first use. Called by
 * outside/pitot/profile.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct interned {
    size_t count;
    char *bytes; /* the keys; each is aligned to 8 and ends in a NUL that is not part of it */
    size_t used, room;
    size_t *places; /* of the keys in `bytes`, and the end of the last */
    size_t places_room;
    uint32_t *slots; /* a hash table of numbers + 1; 0: free */
    size_t slot_count;
};

/* Returns the key's number. Ends the program if memory runs out. */
uint32_t interned_number(struct interned *table, const void *key, size_t size);

/* A key; the pointer is valid until the next interned_number. */
const void *interned_key(const struct interned *table, uint32_t number);

void interned_free(struct interned *table);

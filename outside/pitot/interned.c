/* SPDX-License-Identifier: BSD-2-Clause */
/* See interned.h. Source: the hash function FNV-1a. */
#include "outside/pitot/interned.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/lib/assert.h"
#include "outside/pitot/array.h"

#define ALIGN       8
#define SLOTS_LEAST 1024

struct entry {
    uint64_t size;
    char key[];
};

static void grow(void *array, size_t *room, size_t wanted, size_t size)
{
    struct refusal why;

    if (array_grow(array, room, wanted, size, "keys", &why) == 0)
        return;
    fprintf(stderr, "pitot: %s\n", why.text);
    exit(1);
}

static uint64_t hash(const void *key, size_t size)
{
    const unsigned char *at = key;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum ^ sum >> 32;
}

static const struct entry *entry_of(const struct interned *table, uint32_t number)
{
    return (const void *)(table->bytes + table->places[number]);
}

/* Returns the slot of this key, or the free one where it belongs. The table has a free slot. */
static uint32_t *find_slot(const struct interned *table, const void *key, size_t size)
{
    size_t at = hash(key, size) & (table->slot_count - 1);

    for (;; at = (at + 1) & (table->slot_count - 1)) {
        uint32_t number = table->slots[at];

        if (number == 0)
            return &table->slots[at];
        if (entry_of(table, number - 1)->size == size &&
            memcmp(entry_of(table, number - 1)->key, key, size) == 0)
            return &table->slots[at];
    }
}

/* At most half of the slots are in use. */
static void make_slots(struct interned *table)
{
    size_t none = 0;

    free(table->slots);
    table->slots = NULL;
    table->slot_count = table->slot_count ? 2 * table->slot_count : SLOTS_LEAST;
    grow(&table->slots, &none, table->slot_count, sizeof(*table->slots));
    for (uint32_t i = 0; i < table->count; i++)
        *find_slot(table, entry_of(table, i)->key, entry_of(table, i)->size) = i + 1;
}

uint32_t interned_number(struct interned *table, const void *key, size_t size)
{
    size_t whole = (sizeof(struct entry) + size + ALIGN) & ~(size_t)(ALIGN - 1);
    struct entry *entry;
    uint32_t *slot;

    if (2 * (table->count + 1) > table->slot_count)
        make_slots(table);
    slot = find_slot(table, key, size);
    if (*slot)
        return *slot - 1;
    assert(table->count < UINT32_MAX - 1);
    grow(&table->bytes, &table->room, table->used + whole, 1);
    grow(&table->places, &table->places_room, table->count + 1, sizeof(*table->places));
    entry = (void *)(table->bytes + table->used);
    entry->size = size;
    memcpy(entry->key, key, size);
    table->places[table->count] = table->used;
    table->used += whole;
    *slot = (uint32_t)++table->count;
    return *slot - 1;
}

const void *interned_key(const struct interned *table, uint32_t number)
{
    assert(number < table->count);
    return entry_of(table, number)->key;
}

void interned_free(struct interned *table)
{
    free(table->bytes);
    free(table->places);
    free(table->slots);
    *table = (struct interned){0};
}

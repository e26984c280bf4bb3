/* SPDX-License-Identifier: BSD-2-Clause */
/* See interned.h. A hash table with chains. */
#include "outside/plugin/interned.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_BITS 16

struct entry {
    struct entry *next;
    size_t size;
    _Alignas(8) uint8_t value[];
};

static struct entry *entries[1u << PLACES_BITS];

/* Values must have no padding. Their first word is an address in the kernel. */
static const void *intern(const void *value, size_t size)
{
    uint64_t first;
    struct entry **place, *entry;

    memcpy(&first, value, sizeof(first));
    place = &entries[(first * 0x9e3779b97f4a7c15u) >> (64 - PLACES_BITS)];
    for (entry = *place; entry; entry = entry->next)
        if (entry->size == size && memcmp(entry->value, value, size) == 0)
            return entry->value;
    entry = malloc(sizeof(*entry) + size);
    if (!entry)
        return NULL;
    *entry = (struct entry){.next = *place, .size = size};
    memcpy(entry->value, value, size);
    *place = entry;
    return entry->value;
}

const struct code *interned_code(const struct code *code)
{
    struct code copy;

    memset(&copy, 0, sizeof(copy)); /* its padding, too */
    copy.ip = code->ip;
    copy.next = code->next;
    copy.target = code->target;
    copy.kind = code->kind;
    return intern(&copy, sizeof(copy));
}

const struct block *interned_block(const struct block *block)
{
    struct block copy;

    memset(&copy, 0, sizeof(copy));
    copy.start = block->start;
    copy.end = block->end;
    copy.count = block->count;
    return intern(&copy, sizeof(copy));
}

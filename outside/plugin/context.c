/* SPDX-License-Identifier: BSD-2-Clause */
/* See context.h. Numbers are assigned in order; a hash table finds them. */
#include "outside/plugin/context.h"

#include <assert.h>
#include <stdlib.h>

#define PLACES_LEAST (1u << 14)

static struct context *contexts; /* [number] */
static uint32_t *numbers;        /* a hash table with open addressing; CONTEXT_NONE: free */
static uint32_t places;          /* in it, a power of 2: half of them are free */
static uint32_t used;
static uint64_t lost;

/* The contexts' pages take memory only once used. */
bool context_init(void)
{
    contexts = calloc(CONTEXT_MOST, sizeof(*contexts));
    places = PLACES_LEAST;
    numbers = calloc(places, sizeof(*numbers));
    used = CONTEXT_UNKNOWN;
    if (contexts)
        contexts[CONTEXT_UNKNOWN] = (struct context){.by = WIRE_BY_UNKNOWN, .unknown = true};
    return contexts && numbers;
}

static uint32_t first_place(uint32_t outer, uint64_t site)
{
    return (uint32_t)(((site ^ (uint64_t)outer << 32) * 0x9e3779b97f4a7c15u) >> 32) & (places - 1);
}

/* Doubles the hash table, which is half full. Without memory for that it fills further. */
static void grow(void)
{
    uint32_t *more = calloc(2 * (size_t)places, sizeof(*more));

    if (!more)
        return;
    free(numbers);
    numbers = more;
    places *= 2;
    for (uint32_t number = CONTEXT_UNKNOWN + 1; number <= used; number++) {
        uint32_t i = first_place(contexts[number].outer, contexts[number].site);

        while (numbers[i] != CONTEXT_NONE)
            i = (i + 1) & (places - 1);
        numbers[i] = number;
    }
}

static uint32_t new_context(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    if (used + 1 == CONTEXT_MOST || used + 1 == places) {
        lost++;
        return CONTEXT_UNKNOWN;
    }
    contexts[++used] = (struct context){.site = site,
                                        .outer = outer,
                                        .by = (uint8_t)by,
                                        .site_end = (uint8_t)site_end,
                                        .unknown = contexts[outer].unknown,
                                        .inside = by == WIRE_BY_ALLOCATOR ||
                                                  (by == WIRE_BY_CALL && contexts[outer].inside)};
    return used;
}

uint32_t context_of(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    uint32_t i, number;

    assert(outer <= used);
    if (used >= places / 2)
        grow();
    for (i = first_place(outer, site); numbers[i] != CONTEXT_NONE; i = (i + 1) & (places - 1)) {
        const struct context *context = &contexts[numbers[i]];

        if (context->site == site && context->outer == outer && context->by == by)
            return numbers[i];
    }
    number = new_context(outer, site, by, site_end);
    if (number != CONTEXT_UNKNOWN)
        numbers[i] = number;
    return number;
}

uint32_t context_last(void)
{
    return used;
}

struct context *context_at(uint32_t number)
{
    return &contexts[number];
}

unsigned context_interrupts(uint32_t number)
{
    unsigned count = 0;

    for (; number != CONTEXT_NONE; number = contexts[number].outer)
        count += contexts[number].by == WIRE_BY_INTERRUPT;
    return count;
}

uint64_t context_lost(void)
{
    return lost;
}

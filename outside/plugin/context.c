/* SPDX-License-Identifier: BSD-2-Clause */
/* See context.h. Numbers are assigned in order; a hash table finds them. */
#include "outside/plugin/context.h"

#include <stdlib.h>

#define PLACES_BITS 22
#define PLACES      (1u << PLACES_BITS)
#define LINE_BITS   4

static struct context *contexts; /* [number] */
static uint32_t *numbers;        /* a hash table with open addressing; CONTEXT_NONE: free */
static uint32_t used;
static uint64_t lost;

/* The tables' pages take memory only once used. */
bool context_init(void)
{
    contexts = calloc(CONTEXT_MOST, sizeof(*contexts));
    numbers = calloc(PLACES, sizeof(*numbers));
    used = CONTEXT_UNKNOWN;
    if (contexts)
        contexts[CONTEXT_UNKNOWN] = (struct context){.by = WIRE_BY_UNKNOWN, .unknown = true};
    return contexts && numbers;
}

/*
 * The callees of one context are often looked up one after another, so they usually share a cache
 * line.
 */
static uint32_t first_place(uint32_t outer, uint64_t site)
{
    uint32_t line = (outer * 0x9e3779b1u) >> (32 - PLACES_BITS + LINE_BITS);
    uint32_t within = (uint32_t)((site * 0x9e3779b97f4a7c15u) >> (64 - LINE_BITS));

    return line << LINE_BITS | within;
}

static uint32_t new_context(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    if (used + 1 == CONTEXT_MOST) {
        lost++;
        return CONTEXT_UNKNOWN;
    }
    contexts[++used] = (struct context){.site = site,
                                        .outer = outer,
                                        .by = (uint8_t)by,
                                        .site_end = (uint8_t)site_end,
                                        .unknown = contexts[outer].unknown};
    return used;
}

uint32_t context_of(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    uint32_t i = first_place(outer, site), number;

    for (; numbers[i] != CONTEXT_NONE; i = (i + 1) % PLACES) {
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

uint64_t context_lost(void)
{
    return lost;
}

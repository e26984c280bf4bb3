/* SPDX-License-Identifier: BSD-2-Clause */
/* See context.h. A hash table with open addressing: a context's number is its place. */
#include "outside/plugin/context.h"

#include <stdlib.h>

#define PLACES      (1u << 22) /* 96 MiB of addresses; a page of it is used when it is needed */
#define PLACES_MOST (PLACES / 4 * 3)

static struct context *contexts;
static uint32_t used;
static uint64_t lost;

bool context_init(void)
{
    contexts = calloc(PLACES, sizeof(*contexts));
    return contexts;
}

/* A call has bytes; an interrupt has none. */
static bool is_used(const struct context *context)
{
    return context->site_end || context->by == WIRE_BY_INTERRUPT;
}

static uint32_t first_place(uint32_t outer, uint64_t site)
{
    uint64_t hash = (site ^ (uint64_t)outer << 40) * 0x9e3779b97f4a7c15u;

    hash ^= hash >> 29;
    return (uint32_t)(hash * 0xbf58476d1ce4e5b9u >> 42);
}

uint32_t context_of(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end)
{
    for (uint32_t i = first_place(outer, site);; i = (i + 1) % PLACES) {
        struct context *context = &contexts[i];

        if (i == CONTEXT_NONE)
            continue;
        if (is_used(context) && context->site == site && context->outer == outer &&
            context->by == by)
            return i;
        if (is_used(context))
            continue;
        if (used == PLACES_MOST) {
            lost++;
            return CONTEXT_NONE;
        }
        used++;
        *context = (struct context){
            .site = site, .outer = outer, .by = (uint8_t)by, .site_end = (uint8_t)site_end};
        return i;
    }
}

struct context *context_at(uint32_t number)
{
    return &contexts[number];
}

uint64_t context_lost(void)
{
    return lost;
}

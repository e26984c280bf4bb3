/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h: the races that were seen. */
#include "outside/plugin/race.h"

#include <stdlib.h>

#include "outside/plugin/race_words.h"
#include "outside/plugin/tell.h"

#define RACES_MOST 4096u /* a power of two */

static struct wire_race *races; /* a hash table with open addressing; count 0: free */
static struct wire_stops stops;

bool race_report_begin(void)
{
    races = calloc(RACES_MOST, sizeof(*races));
    return races;
}

static bool is_side(const struct wire_race_side *a, const struct wire_race_side *b)
{
    return a->ip == b->ip && a->access == b->access;
}

static bool is_same(const struct wire_race *race, const struct wire_race_side *a,
                    const struct wire_race_side *b)
{
    const struct wire_race_side *sides = race->sides;

    return (is_side(&sides[0], a) && is_side(&sides[1], b)) ||
           (is_side(&sides[0], b) && is_side(&sides[1], a));
}

void race_report(enum wire_race_kind kind, const struct wire_race_side *stopped,
                 const struct wire_race_side *other, uint64_t then)
{
    uint32_t hash = (uint32_t)(((stopped->ip + other->ip) * 0x9e3779b97f4a7c15u) >> 40);

    for (uint32_t i = 0; i < RACES_MOST; i++) {
        struct wire_race *race = &races[(hash + i) % RACES_MOST];
        uint64_t count = race->count + 1;

        if (count > 1 && !is_same(race, stopped, other))
            continue;
        if (count == 1 || kind < race->kind)
            *race = (struct wire_race){.kind = kind, .sides = {*stopped, *other}, .then = then};
        race->count = count;
        return;
    }
    stops.more++;
}

void race_report_stop(bool first)
{
    stops.stops++;
    stops.places += first;
}

void race_report_continue(bool ran)
{
    stops.ran += ran;
}

void race_report_interrupt(void)
{
    stops.interrupted++;
}

void race_report_tell(void)
{
    for (uint32_t i = 0; i < RACES_MOST; i++) {
        const struct wire_race_side *side = races[i].sides;

        if (races[i].count > 0 && !race_words_do_synchronise(side->address, side->length))
            tell_race(&races[i]);
    }
    tell_stops(&stops);
}

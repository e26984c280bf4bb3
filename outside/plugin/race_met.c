/* SPDX-License-Identifier: BSD-2-Clause */
/* See race_met.h. */
#include "outside/plugin/race_met.h"

#define VALUE_MOST 16u /* bytes of a value of several words */

struct race_met race_met_begin(const struct wire_race_side *own, const struct wire_race_side *side)
{
    return (struct race_met){
        .side = *side,
        .first = side->address,
        .end = side->address + side->length,
        .kind = side->access == own->access ? WIRE_RACE_WRITES : WIRE_RACE_READ,
    };
}

void race_met_extend(struct race_met *met, const struct race_access *access)
{
    uint64_t address = access->address, end = address + race_access_length(access);

    if (race_access_stores(access) != (met->side.access == WIRE_WRITE))
        return;
    if (end == met->first && met->end - address <= VALUE_MOST)
        met->first = address;
    else if (address == met->end && end - met->first <= VALUE_MOST)
        met->end = end;
}

void race_met_judge(struct race_met *met, const struct wire_race_side *own,
                    const struct race_access *access, bool soon)
{
    uint64_t address = access->address, end = address + race_access_length(access);
    bool again = address < own->address + own->length && own->address < end;
    bool store = race_access_stores(access);

    if (met->kind < WIRE_RACE_WRITES)
        return;
    if (again && !store)
        met->seen = true;
    if (again && store && own->access == WIRE_READ && !met->seen)
        met->kind = WIRE_RACE_LOST;
    else if (!again && store == (own->access == WIRE_WRITE) && address < met->end &&
             met->first < end && soon)
        met->kind = WIRE_RACE_TORN;
    if (met->kind < WIRE_RACE_WRITES)
        met->then = access->ip;
}

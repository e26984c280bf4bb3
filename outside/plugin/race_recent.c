/* SPDX-License-Identifier: BSD-2-Clause */
/* See race_recent.h. */
#include "outside/plugin/race_recent.h"

#include "outside/plugin/store.h"

unsigned race_access_length(const struct race_access *access)
{
    unsigned length = store_length(access->info);

    return length ? length : 1u << qemu_plugin_mem_size_shift(access->info);
}

bool race_access_stores(const struct race_access *access)
{
    return store_length(access->info) != 0;
}

void race_recent_keep(struct race_recent *recent, const struct race_access *access)
{
    recent->accesses[recent->count++ % RACE_RECENTS] = *access;
}

/* The access that was kept `back` accesses before the last one. */
static const struct race_access *before(const struct race_recent *recent, uint32_t back)
{
    return &recent->accesses[(recent->count - 1 - back) % RACE_RECENTS];
}

bool race_recent_polls(const struct race_recent *recent)
{
    for (uint32_t period = 1; period <= RACE_RECENTS / 2; period++) {
        uint32_t same = 0;

        while (same < period && before(recent, same)->ip == before(recent, same + period)->ip &&
               before(recent, same)->address == before(recent, same + period)->address &&
               !race_access_stores(before(recent, same)))
            same++;
        if (same == period)
            return true;
    }
    return false;
}

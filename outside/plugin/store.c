/* SPDX-License-Identifier: BSD-2-Clause */
/* See store.h. */
#include "outside/plugin/store.h"

#include <string.h>

#include "outside/plugin/api.h"

static bool several;

void store_begin(unsigned cpus)
{
    several = cpus > 1;
}

#if QEMU_API >= 4
bool store_value(const struct store *store, uint8_t value[STORE_MOST])
{
    qemu_plugin_mem_value told = qemu_plugin_mem_get_value(store->info);

    memcpy(value, &told.data, sizeof(told.data));
    return store->length <= STORE_MOST && !(store->atomic && several);
}

_Static_assert(sizeof((qemu_plugin_mem_value){0}.data) == STORE_MOST, "all of it is told");
#else
bool store_value(const struct store *store, uint8_t value[STORE_MOST])
{
    (void)store;
    (void)value;
    (void)several;
    return false;
}
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* See store.h. */
#include "outside/plugin/store.h"

#include <string.h>

#include "outside/plugin/api.h"

#define LENGTH_BITS 16
#define KINDS       256u /* of accesses whose length is kept */

static bool several;
static uint64_t lengths[KINDS]; /* 1 + info, and below it the length */

void store_begin(unsigned cpus)
{
    several = cpus > 1;
}

/* QEMU is asked once for each kind of access; any CPU may write an entry. */
__attribute__((noinline)) static uint64_t ask(uint32_t info, uint64_t *known)
{
    uint64_t length = (info + UINT64_C(1)) << LENGTH_BITS;

    if (qemu_plugin_mem_is_store(info))
        length |= 1u << qemu_plugin_mem_size_shift(info);
    __atomic_store_n(known, length, __ATOMIC_RELAXED);
    return length;
}

unsigned store_length(uint32_t info)
{
    uint64_t *known = &lengths[(info ^ info >> 8 ^ info >> 16) % KINDS];
    uint64_t length = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (__builtin_expect(length >> LENGTH_BITS != info + UINT64_C(1), 0))
        length = ask(info, known);
    return length & ((1u << LENGTH_BITS) - 1);
}

bool store_place(uint32_t info, uint64_t address, uint64_t *physical)
{
    const struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, address);

    if (!place || qemu_plugin_hwaddr_is_io(place))
        return false;
    *physical = qemu_plugin_hwaddr_phys_addr(place);
    return true;
}

#if QEMU_API >= 4
bool store_value(const struct store *store, uint8_t value[STORE_MOST])
{
    qemu_plugin_mem_value told;

    if (store->interrupt)
        return false;
    told = qemu_plugin_mem_get_value(store->info);
    memcpy(value, &told.data, sizeof(told.data));
    return store->length <= STORE_MOST && !(store->atomic && several);
}

bool store_access_value(uint32_t info, unsigned length, uint64_t *value)
{
    qemu_plugin_mem_value told;

    *value = 0;
    if (length > sizeof(*value))
        return false;
    told = qemu_plugin_mem_get_value(info);
    memcpy(value, &told.data, length);
    return true;
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

bool store_access_value(uint32_t info, unsigned length, uint64_t *value)
{
    (void)info;
    (void)length;
    *value = 0;
    return false;
}
#endif

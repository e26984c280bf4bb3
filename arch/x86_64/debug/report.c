/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "arch/x86_64/debug/report.h"

#include "arch/memory.h"

#define WORD sizeof(uint64_t) /* what QEMU accesses at once, at most */

/* QEMU's store_helper_unaligned checks the page from its start to the store's end. */
static bool store_is_beside(const struct arch_watch *watch, uintptr_t address, size_t size)
{
    uintptr_t page = address & ~(PAGE_SIZE - 1), end = address + size;

    return end < page + PAGE_SIZE && watch->address >= page && watch->address < end;
}

/* QEMU's load_helper makes two aligned loads of an unaligned one. */
static bool load_is_beside(const struct arch_watch *watch, uintptr_t address, size_t size)
{
    return arch_watch_touches(watch, address & ~(size - 1), 2 * size);
}

uintptr_t report_first(const struct arch_watch *watch)
{
    return watch->address - (arch_watch_reports_beside() ? 2 * WORD - 1 : WORD - 1);
}

uintptr_t report_last(const struct arch_watch *watch)
{
    return watch->address + watch->length - 1 + (arch_watch_reports_beside() ? WORD - 1 : 0);
}

bool report_explains(const struct arch_watch *watch, uintptr_t address, size_t size, bool writes)
{
    size_t at_once = size < WORD ? size : WORD;

    if (!writes && watch->access != ARCH_READ_WRITE)
        return false;
    if (arch_watch_touches(watch, address, size))
        return true;
    if (!arch_watch_reports_beside() || !(address & (at_once - 1)))
        return false;
    return writes ? store_is_beside(watch, address, size) : load_is_beside(watch, address, at_once);
}

bool report_explains_made(const struct arch_watch *watch, const struct arch_made *made)
{
    if (!made->placed)
        return arch_made_is_watched(made, watch->access);
    return (made->writes && report_explains(watch, made->may_address, made->may_size, true)) ||
           (made->reads && report_explains(watch, made->may_address, made->may_size, false));
}

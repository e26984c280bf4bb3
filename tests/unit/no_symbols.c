/* SPDX-License-Identifier: BSD-2-Clause */
/* core/symbols/symbols.h for host tests that need no names: it has none. */
#include <linux/errno.h>

#include "core/symbols/symbols.h"

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    (void)address;
    (void)found;
    return false;
}

int symbols_find_name(const char *name, struct symbol *found, size_t *count)
{
    (void)name;
    (void)found;
    *count = 0;
    return -ENOENT;
}

bool symbols_by_name(size_t index, struct symbol *found)
{
    (void)index;
    (void)found;
    return false;
}

size_t symbols_count(void)
{
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See name.h. */
#include "outside/pitot/name.h"

#include <stdio.h>

#include "core/symbols/symbols.h"

const char *name_function(uint64_t address, char text[NAME_ROOM])
{
    struct symbol symbol;

    if (symbols_find_address(address, &symbol))
        snprintf(text, NAME_ROOM, "%s", symbol.name);
    else
        snprintf(text, NAME_ROOM, "0x%llx", (unsigned long long)address);
    return text;
}

const char *name_place(uint64_t address, char text[NAME_ROOM])
{
    struct symbol symbol;

    if (symbols_find_address(address, &symbol))
        snprintf(text, NAME_ROOM, "%s+0x%llx", symbol.name,
                 (unsigned long long)(address - symbol.address));
    else
        snprintf(text, NAME_ROOM, "[unknown]");
    return text;
}

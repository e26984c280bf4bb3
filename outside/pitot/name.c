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
    else if (address == NAME_NOT_KNOWN)
        snprintf(text, NAME_ROOM, NAME_NOT_KNOWN_TEXT);
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
        snprintf(text, NAME_ROOM, address == NAME_NOT_KNOWN ? NAME_NOT_KNOWN_TEXT : "[unknown]");
    return text;
}

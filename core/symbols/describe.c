/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats addresses as "symbol+offset" (core/symbols/symbols.h). Any context. */
#include "core/lib/print.h"
#include "core/symbols/symbols.h"

/* Describes `address` relative to the symbol that contains `within`. */
static const char *describe(uintptr_t address, uintptr_t within, char *text, size_t size)
{
    struct symbol symbol;

    if (symbols_find_address(within, &symbol))
        print_into(text, size, "%s+0x%lx", symbol.name, (unsigned long)(address - symbol.address));
    else
        print_into(text, size, "0x%lx", (unsigned long)address);
    return text;
}

const char *symbols_describe(uintptr_t address, char *text, size_t size)
{
    return describe(address, address, text, size);
}

const char *symbols_describe_return(uintptr_t address, char *text, size_t size)
{
    return describe(address, address - 1, text, size);
}

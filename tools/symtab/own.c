/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See own.h. Pairs of marks in core/embed/sections.ld, which every link keeps, show where the
 * object's sections lie; without them nothing is renamed.
 */
#include "tools/symtab/own.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "pitot."
#define PARTS  4

struct own {
    uint64_t start[PARTS], end[PARTS];
};

static uint64_t mark(const struct table_symbol *symbols, size_t count, const char *part,
                     const char *which)
{
    char name[40];

    snprintf(name, sizeof(name), "embed_own_%s_%s", part, which);
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0)
            return symbols[i].address;
    return 0;
}

static struct own find(const struct table_symbol *symbols, size_t count)
{
    static const char *const parts[PARTS] = {"text", "rodata", "data", "bss"};
    struct own own;

    for (unsigned i = 0; i < PARTS; i++) {
        own.start[i] = mark(symbols, count, parts[i], "start");
        own.end[i] = mark(symbols, count, parts[i], "end");
    }
    return own;
}

static bool is_own(const struct own *own, uint64_t address)
{
    for (unsigned i = 0; i < PARTS; i++)
        if (address >= own->start[i] && address < own->end[i])
            return true;
    return false;
}

static bool kernel_has(const struct table_symbol *symbols, size_t count, const struct own *own,
                       const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0 && !is_own(own, symbols[i].address))
            return true;
    return false;
}

bool own_rename(struct table_symbol **symbols, size_t count)
{
    const struct own own = find(*symbols, count);
    size_t room = 0;
    char *names;

    for (size_t i = 0; i < count; i++)
        if (is_own(&own, (*symbols)[i].address))
            room += sizeof(PREFIX) + strlen((*symbols)[i].name);
    *symbols = realloc(*symbols, (count + 1) * sizeof(**symbols) + room);
    if (!*symbols)
        return false;
    names = (char *)(*symbols + count + 1);
    for (size_t i = 0; i < count; i++) {
        struct table_symbol *symbol = &(*symbols)[i];

        if (!is_own(&own, symbol->address) || !kernel_has(*symbols, count, &own, symbol->name))
            continue;
        symbol->name = strcat(strcpy(names, PREFIX), symbol->name);
        names += strlen(names) + 1;
    }
    return true;
}

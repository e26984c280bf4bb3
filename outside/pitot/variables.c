/* SPDX-License-Identifier: BSD-2-Clause */
/* See variables.h. */
#include "outside/pitot/variables.h"

#include <errno.h>
#include <stdlib.h>

#include "outside/pitot/array.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/plugin.h"

static struct symbol *variables;
static size_t count, room;

static int compare(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    return (a->address > b->address) - (a->address < b->address);
}

static int find(struct refusal *why)
{
    struct symbol symbol;

    for (size_t i = 0; symbols_by_name(i, &symbol); i++) {
        if (symbol.kind != ELF_SYMBOLS_DATA || symbol.size == 0)
            continue;
        if (array_grow(&variables, &room, count + 1, sizeof(*variables), "variables", why) != 0)
            return -ENOMEM;
        variables[count++] = symbol;
    }
    if (count > 0)
        qsort(variables, count, sizeof(*variables), compare);
    return 0;
}

int variables_ask(struct watch *watch, struct refusal *why)
{
    int error = find(why);
    uint64_t end = 0;

    for (size_t i = 0; !error && i < count; i++) {
        uint64_t first = variables[i].address, range[2];

        if (first + variables[i].size <= end)
            continue;
        range[0] = first > end ? first : end;
        range[1] = end = first + variables[i].size;
        error = plugin_add_addresses(watch, &watch->request.heap.variables, range, 2, why);
    }
    return error;
}

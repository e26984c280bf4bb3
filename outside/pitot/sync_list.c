/* SPDX-License-Identifier: BSD-2-Clause */
/* See sync_list.h. */
#include "outside/pitot/sync_list.h"

#include <stdlib.h>

#include "core/lib/glob.h"
#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plugin.h"

struct range {
    uint64_t first, end;
};

static struct range *ranges;
static size_t count, room;

static int compare(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

static int add_matches(const char *glob, const struct kernel *kernel, struct refusal *why)
{
    struct symbol symbol;
    bool found = false;

    for (size_t i = 0; symbols_by_name(i, &symbol); i++) {
        int error;

        if (!glob_match(glob, symbol.name))
            continue;
        found = true;
        error = array_grow(&ranges, &room, count + 1, sizeof(*ranges), "symbols", why);
        if (error)
            return error;
        ranges[count++] =
            (struct range){symbol.address, symbol.address + (symbol.size ? symbol.size : 1)};
    }
    return found ? 0 : place_refuse_name("symbol", glob, kernel, why);
}

int sync_list_ask(const struct spelt_events *globs, struct watch *watch, struct refusal *why)
{
    int error = 0;

    for (unsigned i = 0; i < globs->count && !error; i++)
        error = add_matches(globs->text[i], watch->kernel, why);
    if (count > 0)
        qsort(ranges, count, sizeof(*ranges), compare);
    for (size_t i = 0; i < count && !error; i++)
        error =
            plugin_add_range(watch, &watch->request.race.sync, ranges[i].first, ranges[i].end, why);
    return error;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See size.h. */
#include "core/gather/size.h"

#include "arch/memory.h"
#include "core/lib/number.h"
#include "core/lib/string.h"

#define NUMBER_MAX (1ull << 40) /* with room above for a unit or a page's size */

/* Decimal from 1 on; the whole word. */
static bool read_size(const char *word, uint64_t *size, bool *unit)
{
    static const char units[] = "kKmM";
    const char *at = word, *found;
    uint64_t value;

    if (number_read(&at, 10, NUMBER_MAX, &value) != NUMBER_READ || value == 0)
        return false;
    found = *at ? strchr(units, *at) : NULL;
    *unit = found != NULL;
    if (found)
        value <<= found < units + 2 ? 10 : 20, at++;
    *size = value;
    return *at == '\0';
}

int size_set_ring(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t *size = at;
    bool unit;

    (void)typed;
    if (!read_size(value, size, &unit))
        return refuse(why, EINVAL, "ring size \"%s\": pages, or bytes with k or m, are possible",
                      value);
    if (!unit)
        *size *= PAGE_SIZE;
    return 0;
}

int size_set_window(void *at, const char *typed, char *value, struct refusal *why)
{
    bool unit;

    (void)typed;
    if (read_size(value, at, &unit))
        return 0;
    return refuse(why, EINVAL,
                  "window \"%s\": a number of instructions from 1 on, also with k or m", value);
}

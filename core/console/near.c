/* SPDX-License-Identifier: BSD-2-Clause */
/* See near.h. */
#include "core/console/near.h"

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/symbols/nearest.h"

#define MOST 3

static bool is_near(const char *name, const char *wrong)
{
    size_t length = strlen(wrong);

    if (length > 0 && strncmp(name, wrong, length) == 0)
        return true;
    return distance(name, distance_length(name), wrong, distance_length(wrong)) <= (length + 2) / 3;
}

void near_write(const char *wrong, const char *(*name_at)(size_t index), char *text, size_t size)
{
    const char *name;
    unsigned near = 0;
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; near < MOST && length < size && (name = name_at(i)) != NULL; i++)
        if (is_near(name, wrong))
            length += print_into(text + length, size - length, "%s%s",
                                 near++ == 0 ? "near: " : ", ", name);
    if (near > 0 && length < size)
        print_into(text + length, size - length, "; ");
}

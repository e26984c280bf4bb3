/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h. */
#include "outside/plugin/blame.h"

#include <string.h>

#include "outside/plugin/shadow.h"
#include "outside/plugin/writers.h"

static const struct {
    const char *name;
    const char *(*take)(const char *value);
} arguments[] = {{"writes=", writers_keep},
                 {"place=", writers_add},
                 {"at=", writers_add_fixed},
                 {"shadow=", shadow_begin}};

bool blame_argument(const char *argument, const char **wrong)
{
    for (unsigned i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
        size_t length = strlen(arguments[i].name);

        if (strncmp(argument, arguments[i].name, length) == 0) {
            *wrong = arguments[i].take(argument + length);
            return true;
        }
    }
    return false;
}

void blame_slide(uint64_t by)
{
    writers_slide(by);
}

bool blame_watch(void)
{
    return writers_watch() || shadow_watch();
}

void blame_on_store(unsigned cpu, const struct store *store)
{
    if (shadow_watch())
        shadow_on_store(cpu, store);
    else
        writers_on_store(cpu, store);
}

void blame_tell(void)
{
    if (shadow_watch())
        shadow_tell();
    else
        writers_tell();
}

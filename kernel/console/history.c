/* SPDX-License-Identifier: BSD-2-Clause */
/* See history.h. */
#include "kernel/console/history.h"

#include "core/lib/string.h"

void history_keep(struct history *history, const char *text)
{
    const char *last = history_line(history, 1);

    if (*text != '\0' && (!last || strcmp(last, text) != 0))
        memcpy(history->line[history->count++ % HISTORY_LINES], text, strlen(text) + 1);
}

const char *history_line(const struct history *history, size_t back)
{
    if (back > history->count || back > HISTORY_LINES)
        return NULL;
    return history->line[(history->count - back) % HISTORY_LINES];
}

size_t history_find(const struct history *history, const char *part, size_t back)
{
    const char *text;

    for (; (text = history_line(history, back)) != NULL; back++)
        if (strstr(text, part))
            return back;
    return 0;
}

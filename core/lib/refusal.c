/* SPDX-License-Identifier: BSD-2-Clause */
/* See refusal.h. */
#include "core/lib/refusal.h"

#include <stdarg.h>

#include "core/lib/print.h"
#include "core/lib/string.h"

/* Ends a text that did not fit after its last whole word. */
static void cut(char *text, size_t size)
{
    static const char rest[] = " ...";
    size_t end = size - sizeof(rest);

    while (end > 0 && text[end] != ' ')
        end--;
    memcpy(text + (end > 0 ? end : size - sizeof(rest)), rest, sizeof(rest));
}

int refuse(struct refusal *why, int error, const char *format, ...)
{
    if (why) {
        va_list arguments;
        size_t length;

        va_start(arguments, format);
        length = print_list_into(why->text, sizeof(why->text), format, arguments);
        va_end(arguments);
        if (length >= sizeof(why->text))
            cut(why->text, sizeof(why->text));
    }
    return -error;
}

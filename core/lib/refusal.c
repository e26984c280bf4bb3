/* SPDX-License-Identifier: BSD-2-Clause */
/* See refusal.h. */
#include "core/lib/refusal.h"

#include <stdarg.h>

#include "core/lib/print.h"

int refuse(struct refusal *why, int error, const char *format, ...)
{
    if (why) {
        va_list arguments;
        size_t length;

        va_start(arguments, format);
        length = print_list_into(why->text, sizeof(why->text), format, arguments);
        va_end(arguments);
        if (length >= sizeof(why->text))
            print_cut(why->text, sizeof(why->text));
    }
    return -error;
}

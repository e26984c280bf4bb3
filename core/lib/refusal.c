/* SPDX-License-Identifier: BSD-2-Clause */
/* See refusal.h. */
#include "core/lib/refusal.h"

#include <stdarg.h>

#include "core/lib/print.h"

int refuse(struct refusal *why, int error, const char *format, ...)
{
    if (why) {
        va_list arguments;
        va_start(arguments, format);
        print_list_into(why->text, sizeof(why->text), format, arguments);
        va_end(arguments);
    }
    return -error;
}

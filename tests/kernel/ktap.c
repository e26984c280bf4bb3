/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ktap.h. The plan comes last, so a suite that dies in the middle has none, and its reader
 * notices.
 */
#include "tests/kernel/ktap.h"

#include <linux/errno.h>

static unsigned run, failed; /* of the running suite */

static bool ktap_result(bool holds, const char *format, va_list arguments)
{
    run++;
    failed += !holds;
    print_together_begin(); /* a program that runs beside the suite also prints */
    print("%sok %u - ", holds ? "" : "not ", run);
    print_list_to(print_console(), format, arguments);
    print("\n");
    print_together_end();
    return holds;
}

bool ktap_ok(bool holds, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ktap_result(holds, format, arguments);
    va_end(arguments);
    return holds;
}

bool ktap_equal(uint64_t is, uint64_t should_be, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    ktap_result(is == should_be, format, arguments);
    va_end(arguments);
    if (is != should_be)
        print("#   is 0x%llx, should be 0x%llx\n", (unsigned long long)is,
              (unsigned long long)should_be);
    return is == should_be;
}

int ktap_run(void (*claims)(void))
{
    run = failed = 0;
    print("KTAP version 1\n");
    claims();
    print("1..%u\n", run);
    return failed ? -EIO : 0;
}

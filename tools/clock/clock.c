/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A clock that stands still. GRUB identifies an image by its date, which grub-mkrescue takes from
 * the clock, so that no two images of the same files were equal. tools/mkiso preloads this library
 * (LD_PRELOAD): the time is that of SOURCE_DATE_EPOCH. Any thread.
 */
#include <stdlib.h>
#include <time.h>

time_t time(time_t *result)
{
    const char *seconds = getenv("SOURCE_DATE_EPOCH");
    time_t now = seconds ? (time_t)strtoll(seconds, NULL, 10) : 0;

    if (result)
        *result = now;
    return now;
}

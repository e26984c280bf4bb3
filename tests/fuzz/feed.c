/* SPDX-License-Identifier: BSD-2-Clause */
/* See feed.h. Pure. */
#include "tests/fuzz/feed.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/lib/assert.h"

/* Like CLAIM (tests/fuzz/claim.h), for the code's own assertions. */
_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, claim);
    abort();
}

bool feed_is_empty(const struct feed *feed)
{
    return feed->left == 0;
}

uint8_t feed_byte(struct feed *feed)
{
    if (feed->left == 0)
        return 0;
    feed->left--;
    return *feed->bytes++;
}

uint64_t feed_number(struct feed *feed, unsigned bytes)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)feed_byte(feed) << 8 * i;
    return number;
}

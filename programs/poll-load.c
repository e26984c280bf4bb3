/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll-load [ROUNDS]: a load of `poll` calls, each of which takes a page. A call polls the console,
 * which is ready, and descriptor -1, which never is; one round in WAITED polls only the latter, and
 * waits.
 */
#include <linux/poll.h>

#include "programs/system.h"
#include "programs/text.h"

#define ROUNDS_DEFAULT 100
#define WAITED         25 /* one round in this many waits for a millisecond */

int main(int argc, char **argv);

/* Descriptor 1 is always ready, -1 never. */
__attribute__((noinline)) static long poll_once(long round)
{
    struct pollfd wishes[] = {{.fd = 1, .events = POLLOUT}, {.fd = -1, .events = POLLIN}};
    int first = round % WAITED == 0;

    return system_poll(wishes + first, 2 - (unsigned)first, 1);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? text_number(argv[1]) : ROUNDS_DEFAULT, ready = 0;
    struct line line = {.length = 0};

    for (long round = 0; round < rounds; round++) {
        long found = poll_once(round);

        if (found != (round % WAITED != 0)) {
            say("poll-load: unexpected result of poll");
            return 1;
        }
        ready += found;
    }
    line_add(&line, "poll-load: ");
    line_add_number(&line, rounds);
    line_add(&line, " calls, ready in ");
    line_add_number(&line, ready);
    line_end(&line);
    return 0;
}

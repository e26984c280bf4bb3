/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `sleep`, ended by a timer or ^C; it can set a recording's length. Task context. */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/time/timer.h"

#define SECOND_NS    1000000000ull
#define SECONDS_MOST 1000000

static uint64_t until_ns; /* used by one command at a time */

static bool slept_or_interrupted(void)
{
    return input_interrupted() || arch_clock_ns() >= until_ns;
}

static void wake(void *data)
{
    (void)data;
    input_wake();
}

/* Parses a whole word such as "1" or "0.25". Decimals after the ninth are ignored. */
static bool read_seconds(const char *word, uint64_t *ns)
{
    uint64_t place = SECOND_NS;

    if (number_read(&word, 10, SECONDS_MOST, ns) != NUMBER_READ)
        return false;
    *ns *= SECOND_NS;
    if (*word == '.')
        for (word++; number_digit(*word, 10) >= 0; word++)
            *ns += (place /= 10) * (uint64_t)number_digit(*word, 10);
    return *word == '\0';
}

static int sleep_run(int argc, char **argv)
{
    struct timer timer = {.function = wake};
    uint64_t ns;

    if (argc != 2 || !read_seconds(argv[1], &ns)) {
        print("sleep: give seconds, up to %d: 1, or 0.5\n", SECONDS_MOST);
        return -EINVAL;
    }
    until_ns = arch_clock_ns() + ns;
    timer_start(&timer, ns, 0);
    input_wait_until(slept_or_interrupted);
    timer_cancel(&timer); /* it is on this stack */
    return input_interrupted() ? -EINTR : 0;
}

PITOT_COMMAND(sleep, "SECONDS", "waits, or lets others run while a recording lasts", sleep_run);

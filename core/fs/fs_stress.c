/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `fs-stress [ROUNDS]`: the load that the demonstration records, in the manner of a
 * file server's benchmark (docs/workloads.md). Verifies everything that it reads, and at the end
 * that nothing is left and no page is lost. Task context, interrupts on.
 */
#include <linux/errno.h>

#include "core/console/command.h"
#include "core/fs/stress.h"
#include "core/fs/visible.h"
#include "core/memory/pages.h"
#include "core/print.h"

/*
 * About 3000 hits on kernel_flag, two for each outermost pair: under a second with each of them
 * recorded.
 */
#define ROUNDS_DEFAULT 3
#define ROUNDS_MAX     1000000

/* One workload runs at a time, from the console. */
static struct stress stress;

/* A decimal number from 1 to ROUNDS_MAX, 0 for anything else. */
static unsigned long parse_rounds(const char *text)
{
    unsigned long rounds = 0;

    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        rounds = rounds * 10 + (unsigned long)(*text - '0');
        if (rounds > ROUNDS_MAX)
            return 0;
    }
    return rounds;
}

VISIBLE static int stress_round(void)
{
    int result = 0;

    for (size_t i = 0; result == 0 && stress_clients[i] != NULL; i++)
        result = stress_clients[i](&stress);
    return result;
}

VISIBLE static int stress_rounds(unsigned long rounds)
{
    for (stress.round = 0; stress.round < rounds; stress.round++) {
        if (command_interrupted()) {
            print("fs-stress: stopped after %lu of %lu rounds\n", stress.round, rounds);
            return -EINTR;
        }
        int result = stress_round();
        if (result < 0)
            return result;
        command_progress("fs-stress", stress.round + 1, rounds);
    }
    return 0;
}

VISIBLE static int stress_clean_up(void)
{
    print_into(stress.path, sizeof(stress.path), STRESS_ROOT);
    return stress_remove_tree(&stress);
}

/* All of it in its own directory, which is gone afterwards, whatever went wrong. */
VISIBLE static int stress_all(unsigned long rounds)
{
    int result = stress_prepare(&stress);

    if (result == 0)
        result = stress_rounds(rounds);
    int cleaned = stress_clean_up();
    return result < 0 ? result : cleaned;
}

static int fs_stress_run(int argc, char **argv)
{
    unsigned long rounds = argc == 2 ? parse_rounds(argv[1]) : ROUNDS_DEFAULT;

    if (argc > 2 || rounds == 0) {
        print("fs-stress: give the number of rounds, 1 to %u, or nothing\n", ROUNDS_MAX);
        return -EINVAL;
    }

    size_t free_before = pages_free_count();
    stress = (struct stress){.random = 20090901};
    int result = stress_all(rounds);
    if (result < 0)
        return result;

    size_t free_after = pages_free_count();
    if (free_after != free_before) {
        print("fs-stress: %zu pages were free before, %zu are now\n", free_before, free_after);
        return -EIO;
    }
    print("fs-stress: %lu operations, all verified\n", stress.operations);
    return 0;
}

COMMAND(fs_stress) = {
    .name = "fs-stress",
    .usage = "[ROUNDS]",
    .summary = "load on the file system, and so on the big kernel lock",
    .run = fs_stress_run,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `fs-stress [--threads N] [ROUNDS]`: the workload of the demonstration, for a number
 * of rounds (docs/kernel.md). Task context, interrupts on.
 */
#include <linux/errno.h>

#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/fs/stress_run.h"

/* About 3000 hits on kernel_flag: under a second if each is recorded. */
#define ROUNDS_DEFAULT 3
#define ROUNDS_MAX     1000000

struct wish {
    unsigned long rounds;
    unsigned long threads; /* 0: runs in the console's thread */
};

static int refuse_threads(void)
{
    print("fs-stress: give --threads a number, 1 to %d\n", STRESS_CLIENTS);
    return -EINVAL;
}

static int refuse_rounds(void)
{
    print("fs-stress: give the number of rounds, 1 to %u, or nothing\n", ROUNDS_MAX);
    return -EINVAL;
}

/* Accepts the rounds and --threads in either order, each at most once. */
static int parse(int argc, char **argv, struct wish *wish)
{
    *wish = (struct wish){.threads = 0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0) {
            if (wish->threads || ++i == argc)
                return refuse_threads();
            wish->threads = stress_number(argv[i], STRESS_CLIENTS);
            if (wish->threads == 0)
                return refuse_threads();
        } else {
            if (wish->rounds)
                return refuse_rounds();
            wish->rounds = stress_number(argv[i], ROUNDS_MAX);
            if (wish->rounds == 0)
                return refuse_rounds();
        }
    }
    if (wish->rounds == 0)
        wish->rounds = ROUNDS_DEFAULT;
    return 0;
}

/* Distributes the clients over the threads, in one set of directories. */
static void deal(const struct wish *wish)
{
    unsigned parts = wish->threads ? (unsigned)wish->threads : 1;

    for (unsigned i = 0; i < parts; i++) {
        stress_init(&stresses[i], "fs-stress", STRESS_ROOT, STRESS_SEED + i);
        stresses[i].rounds = wish->rounds;
        stresses[i].first = i;
        stresses[i].step = parts;
    }
}

static int fs_stress_run(int argc, char **argv)
{
    struct wish wish;
    int result = parse(argc, argv, &wish);

    if (result < 0)
        return result;
    deal(&wish);
    result = stress_all((unsigned)wish.threads, false);
    return result < 0 ? result : stress_done((unsigned)wish.threads);
}

COMMAND(fs_stress) = {
    .name = "fs-stress",
    .usage = "[--threads N] [ROUNDS]",
    .summary = "load on the file system, which takes the big kernel lock",
    .run = fs_stress_run,
};

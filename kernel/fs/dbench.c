/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `dbench [-t SECONDS] [CLIENTS]`: runs the clients of fs-stress for a given time. Each
 * of CLIENTS threads has its own directory and runs all five kinds. Task context, interrupts on.
 */
#include <linux/errno.h>

#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/fs/stress_run.h"

#define SECONDS_DEFAULT 10
#define SECONDS_MAX     86400

static int refuse_seconds(void)
{
    print("dbench: give -t a number of seconds, 1 to %u\n", SECONDS_MAX);
    return -EINVAL;
}

static int refuse_clients(void)
{
    print("dbench: give the number of clients, 1 to %d, once\n", STRESS_THREADS_MAX);
    return -EINVAL;
}

/* Accepts -t and the number of clients in either order, each at most once. */
static int parse(int argc, char **argv, unsigned long *seconds, unsigned long *clients)
{
    *seconds = *clients = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-t") == 0) {
            if (*seconds || ++i == argc || !(*seconds = stress_number(argv[i], SECONDS_MAX)))
                return refuse_seconds();
        } else if (*clients || !(*clients = stress_number(argv[i], STRESS_THREADS_MAX))) {
            return refuse_clients();
        }
    }
    if (*seconds == 0)
        *seconds = SECONDS_DEFAULT;
    if (*clients == 0)
        *clients = 1;
    return 0;
}

static int dbench_run(int argc, char **argv)
{
    unsigned long seconds, clients;
    int result = parse(argc, argv, &seconds, &clients);

    if (result < 0)
        return result;
    for (unsigned i = 0; i < clients; i++) {
        char root[STRESS_NAME_SIZE];

        print_into(root, sizeof(root), STRESS_ROOT "/%u", i);
        stress_init(&stresses[i], "dbench", root, STRESS_SEED + i);
        stresses[i].seconds = seconds;
    }
    result = stress_all((unsigned)clients, true);
    return result < 0 ? result : stress_done((unsigned)clients);
}

COMMAND(dbench) = {
    .name = "dbench",
    .usage = "[-t SECONDS] [CLIENTS]",
    .summary = "load on the file system for a time (10 s), by up to 20 clients",
    .run = dbench_run,
};

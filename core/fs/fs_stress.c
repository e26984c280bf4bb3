/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `fs-stress [--threads N] [ROUNDS]`: the load that the demonstration records, in the
 * manner of a file server's benchmark (docs/workloads.md). Verifies everything that it reads, and
 * at the end that nothing is left and that each page of its files is free again: of its files
 * alone, as programs and other threads take and free pages meanwhile. Task context, interrupts on.
 */
#include <linux/errno.h>

#include "core/console/command.h"
#include "core/fs/stress.h"
#include "core/fs/visible.h"
#include "core/lock/kernel_lock.h"
#include "core/print.h"
#include "core/sched/thread.h"
#include "core/string.h"

/*
 * About 3000 hits on kernel_flag, two for each outermost pair: under a second with each of them
 * recorded.
 */
#define ROUNDS_DEFAULT 3
#define ROUNDS_MAX     1000000
#define RANDOM_SEED    20090901

/* One workload runs at a time, from the console; without --threads in the console's own thread. */
static struct stress stresses[STRESS_CLIENTS];
static struct fs_account held; /* by what is below STRESS_ROOT */

struct wish {
    unsigned long rounds;
    unsigned long threads; /* 0: none of its own */
};

/* A decimal number from 1 to `most`, 0 for anything else. */
static unsigned long parse_number(const char *text, unsigned long most)
{
    unsigned long number = 0;

    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        number = number * 10 + (unsigned long)(*text - '0');
        if (number > most)
            return 0;
    }
    return number;
}

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

/* Rounds and --threads in either order, each once at most. */
static int parse(int argc, char **argv, struct wish *wish)
{
    *wish = (struct wish){.threads = 0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0) {
            if (wish->threads || ++i == argc)
                return refuse_threads();
            wish->threads = parse_number(argv[i], STRESS_CLIENTS);
            if (wish->threads == 0)
                return refuse_threads();
        } else {
            if (wish->rounds)
                return refuse_rounds();
            wish->rounds = parse_number(argv[i], ROUNDS_MAX);
            if (wish->rounds == 0)
                return refuse_rounds();
        }
    }
    if (wish->rounds == 0)
        wish->rounds = ROUNDS_DEFAULT;
    return 0;
}

VISIBLE static int stress_round(struct stress *stress)
{
    int result = 0;

    for (unsigned i = stress->first; result == 0 && i < STRESS_CLIENTS; i += stress->step)
        result = stress_clients[i](stress);
    return result;
}

/* Of several threads the first tells how far it is. */
VISIBLE static int stress_rounds(struct stress *stress)
{
    for (stress->round = 0; stress->round < stress->rounds; stress->round++) {
        if (command_interrupted()) {
            print("fs-stress: stopped after %lu of %lu rounds\n", stress->round, stress->rounds);
            return -EINTR;
        }
        int result = stress_round(stress);
        if (result < 0)
            return result;
        if (stress->first == 0)
            command_progress("fs-stress", stress->round + 1, stress->rounds);
    }
    return 0;
}

VISIBLE static void stress_thread(void *data)
{
    struct stress *stress = data;

    stress->result = stress_rounds(stress);
}

/* Those that were made are awaited, whatever became of the others. The first error counts. */
static int stress_in_threads(unsigned threads)
{
    struct thread *made[STRESS_CLIENTS];
    unsigned count = 0;
    int result = 0;

    for (; result == 0 && count < threads; count += result == 0) {
        struct refusal why;
        char name[TASK_NAME_SIZE];

        print_into(name, sizeof(name), "fs-stress/%u", count);
        made[count] = thread_create(name, stress_thread, &stresses[count], &why);
        if (!made[count]) {
            print("fs-stress: %s\n", why.text);
            result = -EAGAIN;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        thread_join(made[i]);
        if (result == 0)
            result = stresses[i].result;
    }
    return result;
}

VISIBLE static int stress_clean_up(struct stress *stress)
{
    print_into(stress->path, sizeof(stress->path), STRESS_ROOT);
    return stress_remove_tree(stress);
}

/* All of it in its own directory, which is gone afterwards, whatever went wrong. */
VISIBLE static int stress_all(unsigned threads)
{
    int result = stress_prepare(&stresses[0], &held);

    if (result == 0)
        result = threads ? stress_in_threads(threads) : stress_rounds(&stresses[0]);
    int cleaned = stress_clean_up(&stresses[0]);
    return result < 0 ? result : cleaned;
}

/* Deals the clients out. */
static void stress_reset(const struct wish *wish)
{
    unsigned parts = wish->threads ? (unsigned)wish->threads : 1;

    for (unsigned i = 0; i < parts; i++)
        stresses[i] = (struct stress){
            .random = RANDOM_SEED + i, .rounds = wish->rounds, .first = i, .step = parts};
}

static void print_done(const struct wish *wish, uint64_t waits)
{
    unsigned long operations = stresses[0].operations;

    for (unsigned i = 1; i < wish->threads; i++)
        operations += stresses[i].operations;
    if (wish->threads)
        print("fs-stress: %lu operations in %lu threads, all verified; %llu waits for the kernel "
              "lock\n",
              operations, wish->threads, (unsigned long long)waits);
    else
        print("fs-stress: %lu operations, all verified\n", operations);
}

static int fs_stress_run(int argc, char **argv)
{
    struct wish wish;
    int result = parse(argc, argv, &wish);

    if (result < 0)
        return result;

    uint64_t waits = kernel_lock_contended();
    stress_reset(&wish);
    result = stress_all((unsigned)wish.threads);
    if (result < 0)
        return result;

    fs_settle();
    size_t lost = fs_account_pages(&held);
    if (lost > 0) {
        print("fs-stress: %zu pages of what it made were not freed with it\n", lost);
        return -EIO;
    }
    print_done(&wish, kernel_lock_contended() - waits);
    return 0;
}

COMMAND(fs_stress) = {
    .name = "fs-stress",
    .usage = "[--threads N] [ROUNDS]",
    .summary = "load on the file system, and so on the big kernel lock",
    .run = fs_stress_run,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `fs-stress` runs the demonstration's workload for a number of rounds; `dbench` runs
 * the same workload for a time (docs/kernel.md). They run clients in new threads or in the
 * caller's, verify all data read, and check at the end that no file is left and that the files'
 * pages are free again. One run at a time; task context, interrupts on.
 */
#include <linux/errno.h>
#include <stdbool.h>

#include "arch/cpu.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/fs/stress.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/sched/thread.h"

#define SECOND_NS 1000000000ull
#define SEED      20090901

/* About 3000 hits on kernel_flag: under a second if each is recorded. */
#define ROUNDS_DEFAULT  3
#define ROUNDS_MAX      1000000
#define SECONDS_DEFAULT 10
#define SECONDS_MAX     86400
#define DBENCH_CLIENTS  20

static struct stress stresses[DBENCH_CLIENTS]; /* one for each thread */
static struct fs_account held;                 /* pages used below STRESS_ROOT */
static uint64_t waits, started; /* kernel_lock_contended and arch_clock_ns at the start */

VISIBLE static int stress_round(struct stress *stress)
{
    int result = 0;

    for (unsigned i = stress->first; result == 0 && i < STRESS_CLIENTS; i += stress->step)
        result = stress_clients[i](stress);
    return result;
}

static unsigned long seconds_passed(void)
{
    return (arch_clock_ns() - started) / SECOND_NS;
}

static bool is_over(const struct stress *stress)
{
    return stress->seconds ? seconds_passed() >= stress->seconds : stress->round == stress->rounds;
}

/* With several threads, only the first reports progress. */
static void show_progress(const struct stress *stress)
{
    if (stress != stresses)
        return;
    if (stress->seconds)
        pitot_progress("dbench: seconds", seconds_passed(), stress->seconds);
    else
        pitot_progress("fs-stress", stress->round + 1, stress->rounds);
}

static int say_stopped(const struct stress *stress)
{
    if (stress->seconds)
        print("%s: stopped after %lu rounds\n", stress->command, stress->round);
    else
        print("%s: stopped after %lu of %lu rounds\n", stress->command, stress->round,
              stress->rounds);
    return -EINTR;
}

VISIBLE static int stress_rounds(struct stress *stress)
{
    for (stress->round = 0; !is_over(stress); stress->round++) {
        if (input_interrupted())
            return say_stopped(stress);
        int result = stress_round(stress);
        if (result < 0)
            return result;
        show_progress(stress);
    }
    return 0;
}

VISIBLE static void stress_thread(void *data)
{
    struct stress *stress = data;

    stress->result = stress_rounds(stress);
}

/* Joins every thread that was created, even if creating another failed. Returns the first error. */
static int stress_in_threads(unsigned threads)
{
    struct thread *made[DBENCH_CLIENTS];
    unsigned count = 0;
    int result = 0;

    for (; result == 0 && count < threads; count += result == 0) {
        struct refusal why;
        char name[PITOT_NAME_SIZE];

        print_into(name, sizeof(name), "%s/%u", stresses[0].command, count);
        made[count] = thread_create(name, stress_thread, &stresses[count], &why);
        if (!made[count]) {
            print("%s: %s\n", stresses[0].command, why.text);
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

/* Makes STRESS_ROOT, with everything below it charged to `held`, and the clients' directories. */
static int make_directories(unsigned threads, bool apart)
{
    int result = (int)stress_counted(&stresses[0], "mkdir", STRESS_ROOT,
                                     fs_mkdir_accounted(STRESS_ROOT, &held));

    if (!apart)
        return result < 0 ? result : stress_prepare(&stresses[0]);
    for (unsigned i = 0; result == 0 && i < threads; i++) {
        result = step_mkdir(&stresses[i], stresses[i].root);
        if (result == 0)
            result = stress_prepare(&stresses[i]);
    }
    return result;
}

/*
 * Runs the rounds in `threads` threads (0: in the caller's), below STRESS_ROOT. If `apart`, each
 * thread has its own directory; otherwise all threads use that of the first. Removes all files,
 * even after an error. Returns 0, or reports an error and returns a negative errno.
 */
VISIBLE static int stress_all(unsigned threads, bool apart)
{
    int result, cleaned;

    waits = kernel_lock_contended();
    started = arch_clock_ns();
    result = make_directories(threads, apart);
    if (result == 0)
        result = threads ? stress_in_threads(threads) : stress_rounds(&stresses[0]);
    cleaned = stress_clean_up(&stresses[0]);
    return result < 0 ? result : cleaned;
}

/*
 * Reports success, and how often threads waited for the kernel lock. If pages were not freed,
 * reports that and returns -EIO.
 */
VISIBLE static int stress_done(unsigned threads)
{
    const char *command = stresses[0].command;
    unsigned long operations = stresses[0].operations;
    size_t lost;

    fs_settle();
    lost = fs_account_pages(&held);
    if (lost > 0) {
        print("%s: %zu pages of its files were not freed when the files were removed\n", command,
              lost);
        return -EIO;
    }
    for (unsigned i = 1; i < threads; i++)
        operations += stresses[i].operations;
    print("%s: %lu operations", command, operations);
    if (threads)
        print(" in %u threads", threads);
    print(", all verified");
    if (threads)
        print("; %llu waits for the kernel lock",
              (unsigned long long)(kernel_lock_contended() - waits));
    print("\n");
    return 0;
}

/* A command takes an option and a plain number, in either order, each at most once. */
struct syntax {
    const char *option;
    unsigned option_most, most;
    const char *option_wrong, *wrong; /* errors; each prints the largest number */
};

/* Stores 0 for a number that is not given. */
static int parse(int argc, char **argv, const struct syntax *syntax, uint64_t *option,
                 uint64_t *number)
{
    *option = *number = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], syntax->option) == 0) {
            if (*option || ++i == argc || !number_parse(argv[i], syntax->option_most, option) ||
                !*option) {
                print(syntax->option_wrong, syntax->option_most);
                return -EINVAL;
            }
        } else if (*number || !number_parse(argv[i], syntax->most, number) || !*number) {
            print(syntax->wrong, syntax->most);
            return -EINVAL;
        }
    }
    return 0;
}

static int fs_stress_run(int argc, char **argv)
{
    static const struct syntax syntax = {
        "--threads", STRESS_CLIENTS, ROUNDS_MAX, "fs-stress: give --threads a number, 1 to %u\n",
        "fs-stress: give the number of rounds, 1 to %u, or nothing\n"};
    uint64_t threads, rounds;
    int result = parse(argc, argv, &syntax, &threads, &rounds);
    unsigned parts = result == 0 && threads ? (unsigned)threads : 1;

    if (result < 0)
        return result;
    for (unsigned i = 0; i < parts; i++) {
        stress_init(&stresses[i], "fs-stress", STRESS_ROOT, SEED + i);
        stresses[i].rounds = rounds ? rounds : ROUNDS_DEFAULT;
        stresses[i].first = i;
        stresses[i].step = parts;
    }
    result = stress_all((unsigned)threads, false);
    return result < 0 ? result : stress_done((unsigned)threads);
}

PITOT_COMMAND_AS(fs_stress, "fs-stress", "[--threads N] [ROUNDS]",
                 "load on the file system, which takes the big kernel lock", fs_stress_run, 0);

static int dbench_run(int argc, char **argv)
{
    static const struct syntax syntax = {"-t", SECONDS_MAX, DBENCH_CLIENTS,
                                         "dbench: give -t a number of seconds, 1 to %u\n",
                                         "dbench: give the number of clients, 1 to %u, once\n"};
    uint64_t seconds, clients;
    int result = parse(argc, argv, &syntax, &seconds, &clients);

    if (result < 0)
        return result;
    clients += clients == 0;
    for (unsigned i = 0; i < clients; i++) {
        char root[STRESS_NAME_SIZE];

        print_into(root, sizeof(root), STRESS_ROOT "/%u", i);
        stress_init(&stresses[i], "dbench", root, SEED + i);
        stresses[i].seconds = seconds ? seconds : SECONDS_DEFAULT;
    }
    result = stress_all((unsigned)clients, true);
    return result < 0 ? result : stress_done((unsigned)clients);
}

PITOT_COMMAND(dbench, "[-t SECONDS] [CLIENTS]",
              "load on the file system for a time (10 s), by up to 20 clients", dbench_run);

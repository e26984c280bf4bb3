/* SPDX-License-Identifier: BSD-2-Clause */
/* See stress_run.h. */
#include "kernel/fs/stress_run.h"

#include <linux/errno.h>

#include "arch/cpu.h"
#include "core/console/command.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "kernel/fs/visible.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/sched/thread.h"

#define SECOND_NS 1000000000ull

struct stress stresses[STRESS_THREADS_MAX];

static struct fs_account held;  /* pages used below STRESS_ROOT */
static uint64_t waits, started; /* kernel_lock_contended and arch_clock_ns at the start */

VISIBLE static int stress_round(struct stress *stress)
{
    int result = 0;

    for (unsigned i = stress->first; result == 0 && i < STRESS_CLIENTS; i += stress->step)
        result = stress_clients[i](stress);
    return result;
}

unsigned long stress_number(const char *text, unsigned long most)
{
    uint64_t number;

    return number_word(text, most, &number) ? number : 0;
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
        command_progress("dbench: seconds", seconds_passed(), stress->seconds);
    else
        command_progress("fs-stress", stress->round + 1, stress->rounds);
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
        if (command_interrupted())
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
    struct thread *made[STRESS_THREADS_MAX];
    unsigned count = 0;
    int result = 0;

    for (; result == 0 && count < threads; count += result == 0) {
        struct refusal why;
        char name[TASK_NAME_SIZE];

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
    int result = step_mkdir_accounted(&stresses[0], STRESS_ROOT, &held);

    if (!apart)
        return result < 0 ? result : stress_prepare(&stresses[0]);
    for (unsigned i = 0; result == 0 && i < threads; i++) {
        result = step_mkdir(&stresses[i], stresses[i].root);
        if (result == 0)
            result = stress_prepare(&stresses[i]);
    }
    return result;
}

/* Removes STRESS_ROOT at the end, even after an error. */
VISIBLE int stress_all(unsigned threads, bool apart)
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

int stress_done(unsigned threads)
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

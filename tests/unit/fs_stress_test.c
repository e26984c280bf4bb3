/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The workload fs-stress: on a working file system it passes and reports that; it removes all of
 * its files, stops when asked to, and detects a file system that returns bytes other than those
 * written. Each of its operations takes the kernel lock, here a counter, once.
 *
 * links: kernel/fs/stress_run.c tests/unit/fake_workqueue.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/console/command.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "kernel/console/input.h"
#include "kernel/fs/ramfs.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "kernel/sched/thread.h"

#define PAGES 1024

/* The linker's array: pointers to every linked COMMAND. */
extern const struct pitot_command *const __start_pitot_commands[];

static const struct pitot_command *command_named(const char *name)
{
    unsigned i = 0;

    while (strcmp(__start_pitot_commands[i]->name, name) != 0)
        i++;
    return __start_pitot_commands[i];
}

static unsigned threads_made, threads_joined;
static uint8_t *memory;
static size_t free_when_empty;
static uint64_t clock_ns, clock_step = 1;
static unsigned long progress_done, progress_total;
static unsigned long interrupt_at; /* which call is answered with yes; 0: none */
static unsigned long interrupt_asked;
static bool spoil;     /* at each progress report, change a file behind the workload's back */
static bool keep_open; /* at each progress report, keep one of the workload's files open */
static struct fs_stat kept;
static long others; /* pages that other code allocates at each progress report; negative: frees */
static unsigned long lock_depth, lock_taken; /* outermost */

void lock_kernel(void)
{
    lock_taken += lock_depth++ == 0;
}

void unlock_kernel(void)
{
    assert_true(lock_depth > 0);
    lock_depth--;
}

unsigned arch_cpu_id(void)
{
    return 0;
}

uint64_t kernel_lock_contended(void)
{
    return 0;
}

/* Each thread runs before its creator continues. */
struct thread *thread_create(const char *name, void (*function)(void *data), void *data,
                             struct refusal *why)
{
    static struct thread made;

    (void)why;
    assert_non_null(strchr(name, '/'));
    function(data);
    threads_made++;
    return &made;
}

void thread_join(struct thread *thread)
{
    assert_non_null(thread);
    threads_joined++;
}

uint64_t arch_clock_ns(void)
{
    return clock_ns += clock_step;
}

uint64_t arch_irq_save(void)
{
    return 0;
}

void arch_irq_restore(uint64_t flags)
{
    (void)flags;
}

void arch_relax(void)
{
    fail_msg("nobody else can hold a lock here");
}

void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, claim);
    abort();
}

bool input_interrupted(void)
{
    return ++interrupt_asked == interrupt_at;
}

/* Overwrites one byte of the logger's file behind the workload's back. */
static void spoil_log(void)
{
    int fd = fs_open("/fs-stress/logger/log", FS_WRITE);

    assert_true(fd >= 0);
    assert_int_equal(fs_write(fd, "?", 1), 1);
    assert_int_equal(fs_close(fd), 0);
}

static void others_take_or_free_pages(void)
{
    static void *taken[PAGES];
    static size_t count;

    for (long i = 0; i < others; i++)
        assert_non_null(taken[count++] = pages_alloc(0));
    for (long i = 0; i > others && count > 0; i--)
        pages_free(taken[--count], 0);
}

void pitot_progress(const char *what, unsigned long done, unsigned long total)
{
    assert_true(strcmp(what, "fs-stress") == 0 || strcmp(what, "dbench: seconds") == 0);
    progress_done = done;
    progress_total = total;
    if (spoil)
        spoil_log();
    if (keep_open) {
        assert_true(fs_open("/fs-stress/logger/log", FS_READ) >= 0);
        assert_int_equal(fs_stat("/fs-stress/logger/log", &kept), 0);
    }
    others_take_or_free_pages();
}

static char output[2000];

static void remember(struct sink *sink, const char *text, size_t length)
{
    (void)sink;
    strncat(output, text, length);
}

static struct sink console = {.write = remember};

static int run(const char *rounds)
{
    const struct pitot_command *command = command_named("fs-stress");
    char name[] = "fs-stress";
    char argument[32];
    char *argv[] = {name, argument, NULL};

    output[0] = '\0';
    interrupt_asked = 0;
    assert_string_equal(command->name, name);
    if (rounds == NULL)
        return command->run(1, argv);
    strcpy(argument, rounds);
    return command->run(2, argv);
}

static int make_file_system(void **state)
{
    (void)state;
    memory = aligned_alloc(PAGE_SIZE, PAGES * PAGE_SIZE);
    pages_add((uintptr_t)memory, PAGES);
    assert_int_equal(fs_init(), 0);
    free_when_empty = pages_free_count();
    print_set_console(&console);
    return 0;
}

static void check_nothing_left(void)
{
    struct fs_entry entry;

    assert_int_equal(fs_readdir("/", 0, &entry), 0);
    assert_int_equal(pages_free_count(), free_when_empty);
    assert_int_equal(lock_depth, 0);
}

static void it_passes_and_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(run(NULL), 0);
    assert_non_null(strstr(output, " operations, all verified\n"));
    assert_int_equal(progress_done, progress_total);
    check_nothing_left();
    assert_int_equal(run("40"), 0);
    assert_int_equal(progress_total, 40);
    check_nothing_left();
}

static void every_run_is_the_same_run(void **state)
{
    char first[sizeof(output)];

    (void)state;
    assert_int_equal(run("5"), 0);
    strcpy(first, output);
    assert_int_equal(run("5"), 0);
    assert_string_equal(output, first);
}

static void each_operation_takes_the_lock_once(void **state)
{
    char said[60];

    (void)state;
    lock_taken = 0;
    assert_int_equal(run(NULL), 0);
    snprintf(said, sizeof(said), "fs-stress: %lu operations, all verified\n", lock_taken);
    assert_string_equal(output, said);
}

static int run_threads(const char *threads)
{
    char words[3][16] = {"fs-stress", "--threads"};
    char *argv[] = {words[0], words[1], words[2], NULL};

    output[0] = '\0';
    strcpy(words[2], threads);
    return command_named("fs-stress")->run(threads[0] == '\0' ? 2 : 3, argv);
}

static void threads_share_the_clients(void **state)
{
    char threads[2] = "1";

    (void)state;
    for (; threads[0] <= '5'; threads[0]++) {
        threads_made = threads_joined = 0;
        assert_int_equal(run_threads(threads), 0);
        assert_int_equal(threads_made, threads[0] - '0');
        assert_int_equal(threads_joined, threads_made);
        assert_non_null(strstr(output, " threads, all verified; 0 waits"));
        check_nothing_left();
    }
}

static void wrong_numbers_of_threads_are_refused(void **state)
{
    static const char *const wrong[] = {"", "0", "6", "x", "-1"};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(run_threads(wrong[i]), -EINVAL);
        assert_string_equal(output, "fs-stress: give --threads a number, 1 to 5\n");
    }
}

static void wrong_arguments_are_refused(void **state)
{
    static const char *const wrong[] = {"", "0", "-1", "3x", "1000001", "99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(run(wrong[i]), -EINVAL);
        assert_string_equal(output,
                            "fs-stress: give the number of rounds, 1 to 1000000, or nothing\n");
    }
}

static int run_dbench(int argc, const char *const *words)
{
    char copies[4][16];
    char *argv[4];

    output[0] = '\0';
    for (int i = 0; i < argc; i++) {
        strcpy(copies[i], words[i]);
        argv[i] = copies[i];
    }
    return command_named("dbench")->run(argc, argv);
}

static void dbench_runs_for_a_time_with_a_directory_for_each_client(void **state)
{
    static const char *const words[] = {"dbench", "20", "-t", "3"};
    uint64_t began = clock_ns;

    (void)state;
    threads_made = threads_joined = 0;
    clock_step = 10000000;
    assert_int_equal(run_dbench(4, words), 0);
    clock_step = 1;
    assert_int_equal(threads_made, 20);
    assert_int_equal(threads_joined, 20);
    assert_true(clock_ns - began >= 3000000000);
    assert_int_equal(strncmp(output, "dbench: ", strlen("dbench: ")), 0);
    assert_non_null(strstr(output, " operations in 20 threads, all verified; 0 waits"));
    check_nothing_left();
}

static void what_dbench_cannot_do_is_refused(void **state)
{
    static const struct {
        int count;
        const char *words[4];
        const char *said;
    } wrong[] = {
        {2, {"dbench", "21"}, "dbench: give the number of clients, 1 to 20, once\n"},
        {2, {"dbench", "x"}, "dbench: give the number of clients, 1 to 20, once\n"},
        {3, {"dbench", "1", "2"}, "dbench: give the number of clients, 1 to 20, once\n"},
        {2, {"dbench", "-t"}, "dbench: give -t a number of seconds, 1 to 86400\n"},
        {3, {"dbench", "-t", "0"}, "dbench: give -t a number of seconds, 1 to 86400\n"},
        {3, {"dbench", "-t", "86401"}, "dbench: give -t a number of seconds, 1 to 86400\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(run_dbench(wrong[i].count, wrong[i].words), -EINVAL);
        assert_string_equal(output, wrong[i].said);
    }
}

static void an_interrupt_stops_it_cleanly(void **state)
{
    (void)state;
    interrupt_at = 3;
    assert_int_equal(run("8"), -EINTR);
    interrupt_at = 0;
    assert_string_equal(output, "fs-stress: stopped after 2 of 8 rounds\n");
    check_nothing_left();
}

static void a_changed_byte_is_noticed(void **state)
{
    (void)state;
    spoil = true;
    assert_int_equal(run("3"), -EIO);
    spoil = false;
    assert_string_equal(output,
                        "fs-stress: /fs-stress/logger/log: does not hold what was written\n");
    check_nothing_left();
}

/* Programs that start and end meanwhile. */
static void what_others_take_and_free_is_not_its_affair(void **state)
{
    (void)state;
    others = 7;
    assert_int_equal(run("4"), 0);
    assert_int_equal(pages_free_count(), free_when_empty - 4 * 7);
    others = -7;
    assert_int_equal(run("4"), 0);
    others = 0;
    check_nothing_left();
}

/* Runs last, as pages remain allocated: those of the file's contents and the inode. */
static void a_file_whose_pages_stay_is_noticed(void **state)
{
    char expected[80];

    (void)state;
    keep_open = true;
    assert_int_equal(run("1"), -EIO);
    keep_open = false;
    sprintf(expected,
            "fs-stress: %zu pages of its files were not freed when the files were removed\n",
            (size_t)kept.blocks + 1);
    assert_string_equal(output, expected);
    assert_int_equal(pages_free_count(), free_when_empty - (kept.blocks + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_passes_and_leaves_nothing),
        cmocka_unit_test(every_run_is_the_same_run),
        cmocka_unit_test(each_operation_takes_the_lock_once),
        cmocka_unit_test(threads_share_the_clients),
        cmocka_unit_test(wrong_numbers_of_threads_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(dbench_runs_for_a_time_with_a_directory_for_each_client),
        cmocka_unit_test(what_dbench_cannot_do_is_refused),
        cmocka_unit_test(an_interrupt_stops_it_cleanly),
        cmocka_unit_test(a_changed_byte_is_noticed),
        cmocka_unit_test(what_others_take_and_free_is_not_its_affair),
        cmocka_unit_test(a_file_whose_pages_stay_is_noticed),
    };
    int failed = cmocka_run_group_tests(tests, make_file_system, NULL);

    free(memory);
    return failed;
}

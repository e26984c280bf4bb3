/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin's pipe (outside/plugin/tell.h): signals that arrive while it is full, such as repeated
 * ^C, lose no record. The reader starts only after the writer has blocked and was interrupted
 * twenty times.
 *
 * links: outside/plugin/tell.c
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "outside/plugin/registers.h"
#include "outside/plugin/stack.h"
#include "outside/plugin/tell.h"

#define BLOCKS     40000u /* 1.3 MB: more than the buffer and the pipe hold */
#define INTERRUPTS 20

static volatile sig_atomic_t interrupts;

bool registers_read(unsigned cpu, uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT])
{
    (void)cpu;
    (void)ip;
    (void)to;
    return false;
}

enum memory memory_compare(uint64_t address, uint64_t word)
{
    (void)address;
    (void)word;
    return MEMORY_UNKNOWN;
}

static void on_signal(int number)
{
    (void)number;
    interrupts++;
}

/* True if the process is blocked in a system call. */
static bool waits(pid_t process)
{
    char path[64], state = '?';
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
    file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
        _exit(2);
    fclose(file);
    return state == 'S';
}

/* Runs in a separate process: 0 if the pipe delivers each block, in order. */
static int read_all(int from, pid_t writer)
{
    FILE *file = fdopen(from, "r");
    struct wire_begin begin;
    struct wire_block block;
    uint64_t blocks = 0;

    for (int sent = 0; sent < INTERRUPTS; sent++) {
        while (!waits(writer))
            ;
        kill(writer, SIGUSR1);
    }
    if (!file || fread(&begin, sizeof(begin), 1, file) != 1)
        return 1;
    while (fread(&block, sizeof(block), 1, file) == 1 && block.head.kind == WIRE_BLOCK)
        if (block.start != blocks++)
            return 1;
    return blocks == BLOCKS ? 0 : 1;
}

static void signals_cost_nothing(void **state)
{
    struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART, like QEMU's */
    struct wire_end end = {.calls = 0};
    pid_t writer = getpid(), reader;
    int ends[2], status;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    reader = fork();
    assert_true(reader >= 0);
    if (reader == 0) {
        close(ends[1]);
        _exit(read_all(ends[0], writer));
    }
    close(ends[0]);
    assert_true(tell_begin(ends[1], 1, false));
    for (unsigned i = 0; i < BLOCKS; i++)
        tell_block(i, i, 1);
    tell_end(&end);
    close(ends[1]);
    while (waitpid(reader, &status, 0) < 0)
        ;
    assert_int_equal(status, 0);
    assert_true(interrupts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_cost_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `memory` prints the free blocks: of one region without one page, then of two regions.
 *
 * links: kernel/memory/memory_command.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/memory.h"
#include "core/console/command.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "kernel/console/input.h"
#include "kernel/memory/pages.h"
#include "kernel/x86_64/thread.h"

#define PAGES 4096

extern const struct pitot_command *const __start_pitot_commands[];

void assert_failed(const char *claim, const char *file, int line)
{
    fail_msg("%s:%d: %s", file, line, claim);
    abort();
}

static char output[2000];

size_t arch_stack_pages(void)
{
    return 7;
}

static void remember(struct sink *sink, const char *text, size_t length)
{
    (void)sink;
    strncat(output, text, length);
}

static bool interrupted;

bool input_interrupted(void)
{
    return interrupted;
}

void pitot_print(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    print_list_to(print_console(), format, list);
    va_end(list);
}

static void it_prints_the_blocks_that_are_free(void **state)
{
    static struct sink console = {.write = remember};
    char name[] = "memory";
    char *argv[] = {name, NULL};
    uint8_t *memory = aligned_alloc(PAGES * PAGE_SIZE, PAGES * PAGE_SIZE);
    void *page;

    (void)state;
    print_set_console(&console);
    pages_add((uintptr_t)memory, 256 + 1); /* the first page holds notes */
    page = pages_alloc(0);
    assert_string_equal(__start_pitot_commands[0]->name, name);
    assert_int_equal(__start_pitot_commands[0]->run(1, argv), 0);
    assert_string_equal(output, "order  block KiB  free blocks   free KiB\n"
                                "    0          4            1          4\n"
                                "    1          8            1          8\n"
                                "    2         16            1         16\n"
                                "    3         32            1         32\n"
                                "    4         64            1         64\n"
                                "    5        128            1        128\n"
                                "    6        256            1        256\n"
                                "    7        512            1        512\n"
                                "1020 KiB of 1024 are free\n"
                                "28 KiB are stacks, of threads or kept for the next ones\n");

    pages_free(page, 0);
    pages_add((uintptr_t)memory + 2047 * PAGE_SIZE, 2049);
    output[0] = '\0';
    assert_int_equal(__start_pitot_commands[0]->run(1, argv), 0);
    assert_non_null(strstr(output, "\n    0          4            2          8\n    1 "));
    assert_non_null(
        strstr(output, "\n   11       8192            1       8192\n9216 KiB of 9216 "));
    free(memory);
}

static void it_says_that_it_was_interrupted(void **state)
{
    char name[] = "memory";
    char *argv[] = {name, NULL};

    (void)state;
    interrupted = true;
    assert_int_equal(__start_pitot_commands[0]->run(1, argv), -EINTR);
    interrupted = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_prints_the_blocks_that_are_free),
        cmocka_unit_test(it_says_that_it_was_interrupted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

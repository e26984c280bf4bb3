/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/console/backtrace.c: a line for each frame of a short chain; the first and last frames of a
 * long one, and how many are left out; why an incomplete chain ends.
 *
 * links: core/unwind/default_fp.c tools/orcgen/table.c tests/unit/fake_arch.c tests/unit/unwind_machine.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/console/backtrace.h"
#include "core/lib/print.h"
#include "tests/unit/fake_arch.h"
#include "tests/unit/unwind_machine.h"

#define LINES_MOST 64

static char text[LINES_MOST * 128];
static char *lines[LINES_MOST];
static size_t line_count;

const char *arch_trap_name(const struct regs *regs)
{
    (void)regs;
    return "interrupt";
}

static void remember(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    assert_true(strlen(text) + length < sizeof(text));
    strncat(text, bytes, length);
}

static void print_chain(const struct regs *regs)
{
    struct sink sink = {remember};
    struct backtrace backtrace;

    text[0] = '\0';
    line_count = 0;
    backtrace_take(&backtrace, regs);
    backtrace_print(&backtrace, &sink);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        lines[line_count++] = line;
}

static struct regs regs_of(const struct machine *machine)
{
    return (struct regs){.ip = machine->ip,
                         .sp = machine->sp,
                         .bp = machine->fp,
                         .cs = KERNEL_CODE_SELECTOR,
                         .flags = FLAGS_FIXED};
}

static void assert_line(size_t line, uintptr_t ip, const char *kind)
{
    char begin[64];

    snprintf(begin, sizeof(begin), "  %016lx  %s  ", (unsigned long)ip, kind);
    assert_true(line < line_count);
    assert_memory_equal(lines[line], begin, strlen(begin));
}

/* Frame `at`, from the snapshot up: the innermost caller was recorded last. */
static uintptr_t frame_of(const struct machine *machine, size_t at)
{
    return at == 0 ? machine->ip : machine->callers[machine->depth - at];
}

static void each_frame_of_a_short_chain_has_a_line(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = regs_of(&machine);

    (void)state;
    print_chain(&regs);
    assert_int_equal(line_count, machine.depth + 1);
    assert_non_null(strstr(lines[0], "  <interrupt>"));
    for (size_t i = 0; i < line_count; i++)
        assert_line(i, frame_of(&machine, i), i == 0 ? "trap" : "call");
}

static void of_a_long_chain_the_first_and_the_last_have(void **state)
{
    const size_t most = BACKTRACE_FIRST + BACKTRACE_LAST;
    struct machine machine = machine_three_calls_deep();
    char left_out[64];
    struct regs regs;

    (void)state;
    while (machine.depth + 1 < most + 5) {
        machine_call(&machine, 4);
        machine_prologue(&machine, 0);
        regs = regs_of(&machine);
        print_chain(&regs);
        if (machine.depth + 1 <= most)
            assert_int_equal(line_count, machine.depth + 1);
    }
    assert_int_equal(line_count, most + 1);
    snprintf(left_out, sizeof(left_out), "  ... %zu frames ...", machine.depth + 1 - most);
    assert_string_equal(lines[BACKTRACE_FIRST], left_out);
    for (size_t i = 0; i < BACKTRACE_FIRST; i++)
        assert_line(i, frame_of(&machine, i), i == 0 ? "trap" : "call");
    for (size_t i = 0; i < BACKTRACE_LAST; i++)
        assert_line(BACKTRACE_FIRST + 1 + i,
                    frame_of(&machine, machine.depth + 1 - BACKTRACE_LAST + i), "call");
}

static void a_chain_that_stops_early_says_why(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = regs_of(&machine);

    (void)state;
    regs.bp = 0x1234561; /* on no stack */
    print_chain(&regs);
    assert_int_equal(line_count, 2);
    assert_memory_equal(lines[1], "  (the chain stops here: ", 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_frame_of_a_short_chain_has_a_line, machine_setup),
        cmocka_unit_test_setup(of_a_long_chain_the_first_and_the_last_have, machine_setup),
        cmocka_unit_test_setup(a_chain_that_stops_early_says_why, machine_setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

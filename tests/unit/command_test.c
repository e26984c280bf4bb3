/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands that the linker collects: here `help` and four of the test's own, in random order.
 *
 * links: core/console/help.c tests/unit/fake_cpu.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/errno.h>

#include <cmocka.h>

#include "core/console/command.h"
#include "core/lib/print.h"

static int seen_count;
static char seen_last[100];

static int remember(int argc, char **argv)
{
    seen_count = argc;
    strcpy(seen_last, argv[argc - 1]);
    return -EIO;
}

PITOT_COMMAND(reboot, "", "begins again", remember);
PITOT_COMMAND(perf, "list | record", "records", remember);
PITOT_COMMAND(regs, "", "shows registers", remember);
PITOT_COMMAND(bt, "", "shows who called", remember);

static char printed[1000];
static size_t printed_length;

static void printed_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    assert_true(printed_length + length < sizeof(printed));
    memcpy(printed + printed_length, bytes, length);
    printed_length += length;
    printed[printed_length] = '\0';
}

/* `second` may be NULL. */
static int run(const char *first, const char *second)
{
    char text[2][100];
    char *words[] = {text[0], second ? text[1] : NULL, NULL};

    strcpy(text[0], first);
    strcpy(text[1], second ? second : "");
    printed_length = 0;
    printed[0] = '\0';
    return command_run(second ? 2 : 1, words);
}

static void commands_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(command_find("regs")->summary, "shows registers");
    assert_null(command_find("reg"));
    assert_null(command_find("regs "));
    assert_null(command_find(""));
}

static void commands_stand_in_order_of_names(void **state)
{
    static const char *const names[] = {"bt", "help", "perf", "reboot", "regs"};
    const struct pitot_command *next = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        next = pitot_next_command(next);
        assert_string_equal(next->name, names[i]);
    }
    assert_null(pitot_next_command(next));
}

static void a_command_gets_its_words_and_gives_its_status(void **state)
{
    (void)state;
    assert_int_equal(run("perf", "list"), -EIO);
    assert_int_equal(seen_count, 2);
    assert_string_equal(seen_last, "list");
    assert_string_equal(printed, "");
}

static void an_unknown_command_is_answered_with_what_is_near(void **state)
{
    (void)state;
    assert_int_equal(run("frobnicate", NULL), -ENOENT);
    assert_string_equal(printed, "frobnicate: no such command; `help` lists them\n");
    run("pref", NULL);
    assert_string_equal(printed, "pref: no such command; near: perf; `help` lists them\n");
    run("re", NULL);
    assert_string_equal(printed, "re: no such command; near: reboot, regs; `help` lists them\n");
    run("rebot", NULL);
    assert_string_equal(printed, "rebot: no such command; near: reboot; `help` lists them\n");
    run("", NULL);
    assert_string_equal(printed, ": no such command; `help` lists them\n");
    run("a-word-that-is-longer-than-any-name-of-a-command", NULL);
    assert_non_null(strstr(printed, "no such command; `help`"));
}

static void a_word_that_a_command_would_not_look_at_is_refused(void **state)
{
    (void)state;
    seen_count = 0;
    assert_int_equal(run("regs", "1"), -EINVAL);
    assert_int_equal(seen_count, 0);
    assert_string_equal(printed, "regs: unexpected \"1\": regs takes no arguments\n");
    assert_int_equal(run("regs", NULL), -EIO);
    assert_int_equal(seen_count, 1);
}

/* Rows about missing commands are left out: this kernel has no poweroff, and no ps. */
static void what_other_tools_have_is_answered_with_what_is_here(void **state)
{
    static const struct {
        const char *first, *second, *answer;
    } cases[] = {
        {"break", "fs_read", "break: no such command; `perf record -g -e mem:FUNCTION:x -- "},
        {"x/10i", NULL, "x/10i: no such command; memory is for gdb"},
        {"info", "registers", "info: no such command; here it is regs\n"},
        {"info", "stack", "info: no such command; here it is bt\n"},
        {"info", NULL, "info: no such command; here it is help\n"},
        {"info", "threads", "info: no such command; here it is help\n"},
        {"echo", "function", "echo: no such command; ftrace has files"},
        {"cat", "/sys/kernel/debug/tracing/trace", "cat: no such command; ftrace has files"},
        {"cat", "/proc/interrupts", "cat: no such command; `perf stat -a -e irq:irq_handler_entry"},
        {"cat", "x", "cat: no such command; this prompt has no files"},
        {"record", "-a", "record: no such command; it is a part of perf: type perf before it\n"},
        {"bpftrace", "-e", "bpftrace: no such command; `perf stat -e lock:lock_acquire --by name"},
        {"reset", NULL, "reset: no such command; here it is reboot; ^L clears the screen\n"},
        {"exit", NULL, "exit: no such command; `help` lists them\n"},
        {"z", NULL, "z: no such command; `help` lists them\n"},
        {"?", NULL, "?: no such command; here it is help\n"},
        {"df", NULL, "df: no such command; this prompt has no files"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(run(cases[i].first, cases[i].second), -ENOENT);
        if (strncmp(printed, cases[i].answer, strlen(cases[i].answer)) != 0)
            fail_msg("\"%s\" is not \"%s\"", printed, cases[i].answer);
    }
}

/* An empty word, and one that contains such a character, are ordinary words. */
static void what_a_shell_would_do_is_refused(void **state)
{
    static const char *const pipes[] = {"|", ">", "<", ">>file", "&&", "2>&1", "2>", "&>f", ">&2"};

    (void)state;
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        seen_count = 0;
        assert_int_equal(run("perf", pipes[i]), -EINVAL);
        assert_int_equal(seen_count, 0);
        assert_non_null(strstr(printed, "this prompt has neither pipes nor files"));
    }
    assert_int_equal(run("perf", ""), -EIO);
    assert_int_equal(run("perf", "a>3"), -EIO);
    assert_int_equal(run("perf", "2"), -EIO);
    assert_int_equal(run("perf", "&"), -EINVAL);
    assert_non_null(strstr(printed, "perf: \"&\": only a program runs in the background"));
    assert_int_equal(run("run", "&"), -ENOENT);
    assert_string_equal(printed, "run: no such command; `help` lists them\n");
    assert_int_equal(run("exit", NULL), -ENOENT);
    assert_string_equal(printed, "exit: no such command; `help` lists them\n");
}

static void help_of_a_command_is_asked_for_by_an_option(void **state)
{
    (void)state;
    assert_int_equal(run("regs", "--help"), 0);
    assert_string_equal(printed, "regs\n    shows registers\n");
    assert_int_equal(run("bt", "-h"), 0);
    assert_string_equal(printed, "bt\n    shows who called\n");
}

static void help_lists_all_in_order(void **state)
{
    (void)state;
    assert_int_equal(run("help", NULL), 0);
    assert_non_null(strstr(printed, "  perf    records\n  reboot  begins again\n"));
}

static void help_of_one_shows_its_usage(void **state)
{
    (void)state;
    assert_int_equal(run("help", "perf"), 0);
    assert_string_equal(printed, "perf list | record\n    records\n");
    assert_int_equal(run("help", "bt"), 0);
    assert_string_equal(printed, "bt\n    shows who called\n");
    assert_int_equal(run("help", "pref"), -ENOENT);
    assert_non_null(strstr(printed, "pref"));
}

int main(void)
{
    struct sink sink = {printed_write};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_found_by_name),
        cmocka_unit_test(commands_stand_in_order_of_names),
        cmocka_unit_test(a_command_gets_its_words_and_gives_its_status),
        cmocka_unit_test(an_unknown_command_is_answered_with_what_is_near),
        cmocka_unit_test(a_word_that_a_command_would_not_look_at_is_refused),
        cmocka_unit_test(what_other_tools_have_is_answered_with_what_is_here),
        cmocka_unit_test(what_a_shell_would_do_is_refused),
        cmocka_unit_test(help_of_a_command_is_asked_for_by_an_option),
        cmocka_unit_test(help_lists_all_in_order),
        cmocka_unit_test(help_of_one_shows_its_usage),
    };

    print_set_console(&sink);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

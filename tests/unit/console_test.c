/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole console, from typed bytes to printed text, on a fake machine whose only interrupt is a
 * typed key.
 *
 * links: tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/errno.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/console/command.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/task.h"
#include "kernel/console/console.h"
#include "kernel/console/input.h"
#include "kernel/console/line.h"
#include "kernel/sched/scheduler.h"
#include "kernel/sched/wait_queue.h"

/* --- The machine --- */

static int interrupted(enum pitot_interrupt how)
{
    return how == PITOT_INTERRUPT_TAKE ? input_take_interrupt() : input_interrupted();
}

static uint64_t now_ns;
static bool interrupts_off;
static const char *typed; /* delivered one byte per interrupt */
static jmp_buf nothing_more_typed;

uint64_t arch_clock_ns(void)
{
    return now_ns;
}

/* Every other byte arrives at the worst moment, just before interrupts are disabled. */
uint64_t arch_irq_save(void)
{
    static bool worst_moment;

    worst_moment = !worst_moment;
    if (worst_moment && *typed != '\0')
        assert_true(input_put((uint8_t)*typed++));
    interrupts_off = true;
    return 0;
}

void arch_irq_restore(uint64_t flags)
{
    (void)flags;
    interrupts_off = false;
}

unsigned arch_cpu_id(void)
{
    return 0;
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

void arch_relax(void)
{
    fail_msg("nobody else can hold a lock here");
}

static struct thread console;

struct thread *thread_current(void)
{
    return &console;
}

/* The console sleeps, with nothing left to read, until the next byte arrives or none is left. */
void scheduler_sleep(struct spinlock *lock)
{
    struct wait_queue *queue =
        (struct wait_queue *)((char *)lock - offsetof(struct wait_queue, lock));

    assert_true(interrupts_off);
    assert_false(input_pending());
    assert_ptr_equal(run_queue_take(&queue->sleepers), thread_current());
    spinlock_release(lock);
    if (*typed == '\0')
        longjmp(nothing_more_typed, 1);
    assert_true(input_put((uint8_t)*typed++));
}

void scheduler_wake(struct thread *thread)
{
    (void)thread;
    fail_msg("nobody wakes the console but its own sleep, here");
}

/* No TAB is typed here. */
static unsigned long extend_nothing(const char *text, unsigned long length, char *addition,
                                    unsigned long size)
{
    (void)text;
    (void)length;
    assert_true(size > 0);
    addition[0] = '\0';
    return 0;
}

static void list_nothing(struct sink *sink)
{
    (void)sink;
}

const struct line_completer complete_words = {extend_nothing, list_nothing};

/* --- Printing --- */

static char printed[20000];
static size_t printed_length;
static unsigned guard_depth; /* while it is not 0, other CPUs do not print */
static size_t unguarded;     /* characters */

static void guard_enter(void)
{
    guard_depth++;
}

static void guard_leave(void)
{
    assert_true(guard_depth > 0);
    guard_depth--;
}

static void printed_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    unguarded += guard_depth > 0 ? 0 : length;
    assert_true(printed_length + length < sizeof(printed));
    memcpy(printed + printed_length, bytes, length);
    printed_length += length;
    printed[printed_length] = '\0';
}

static struct sink console_sink = {printed_write};

static int begin(void **state)
{
    uint8_t left_over;

    (void)state;
    while (input_get(&left_over))
        continue;
    print_set_console(&console_sink);
    printed_length = 0;
    printed[0] = '\0';
    now_ns = 0;
    return 0;
}

static const char *type(const char *bytes)
{
    typed = bytes;
    if (setjmp(nothing_more_typed) == 0)
        console_run();
    return printed;
}

/* --- Commands --- */

static int say_run(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        print("[%s]", argv[i]);
    print("\n");
    return 0;
}

static int fail_run(int argc, char **argv)
{
    (void)argc;
    print("%s: failed\n", argv[0]);
    return -EIO;
}

/* Typed while the command runs: its first word. */
static int busy_run(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    for (const char *byte = argv[1]; *byte != '\0'; byte++)
        assert_true(input_put(*byte == '^'   ? INPUT_INTERRUPT
                              : *byte == '/' ? '\r'
                                             : (uint8_t)*byte));
    print("busy: %s\n", command_interrupted() ? "interrupted" : "done");
    return command_interrupted() ? -EINTR : 0;
}

/* Prints in several pieces, and into a sink that it saved while the progress line was shown. */
#define LONG_OVER "long: over after 2 lines\nkept\n"

static int long_run(int argc, char **argv)
{
    struct sink *kept = NULL;

    (void)argc;
    for (unsigned long i = 0; i <= 25; i++) {
        pitot_progress("long", i * 100, 2500);
        now_ns += 100000000;
        kept = print_console();
    }
    print("%s: %s after %d lines\n", argv[0], "over", 2);
    print_to(kept, "%s\n", "kept");
    return 0;
}

static int nested_run(int argc, char **argv)
{
    (void)argc;
    return console_execute(argv[1]);
}

/*
 * Prints three lines in two pieces each; the argument is where ^C arrives: "1.5" is within the
 * first line.
 */
static int lines_run(int argc, char **argv)
{
    struct sink *sink = command_output();

    for (char line = '1'; line <= '3'; line++) {
        if (argc == 2 && argv[1][0] == line && argv[1][1] == '\0')
            assert_true(input_put(INPUT_INTERRUPT));
        print_to(sink, "line ");
        if (argc == 2 && argv[1][0] == line && argv[1][1] == '.')
            assert_true(input_put(INPUT_INTERRUPT));
        print_to(sink, "%c\nand ", line);
    }
    print_to(sink, "the end\n");
    return command_interrupted() ? -EINTR : 0;
}

/* Answers ^C by printing everything it has. */
static int answer_run(int argc, char **argv)
{
    bool interrupted = command_take_interrupt();

    (void)argc;
    (void)argv;
    print_to(command_output(), "what there is: %s\n", interrupted ? "a part" : "all");
    return interrupted ? -EINTR : 0;
}

PITOT_COMMAND(say, "[WORD]...", "", say_run);
PITOT_COMMAND(lines, "[WORD]...", "", lines_run);
PITOT_COMMAND(answer, "[WORD]...", "", answer_run);
PITOT_COMMAND(fail, "[WORD]...", "", fail_run);
PITOT_COMMAND(busy, "[WORD]...", "", busy_run);
PITOT_COMMAND(long, "[WORD]...", "", long_run);
PITOT_COMMAND(nested, "[WORD]...", "", nested_run);

/* --- Tests --- */

static void a_typed_line_is_echoed_and_run(void **state)
{
    (void)state;
    assert_string_equal(type("say 'a b' c\r"), "pitot> say 'a b' c\n[a b][c]\npitot> ");
}

static void an_empty_line_only_prompts_again(void **state)
{
    (void)state;
    assert_string_equal(type("\r \r;\r"), "pitot> \npitot>  \npitot> ;\npitot> ");
}

static void a_script_shows_each_command_and_continues_after_a_failure(void **state)
{
    (void)state;
    assert_int_equal(console_script("say 1;fail ; say 2"), 0);
    assert_string_equal(printed,
                        "pitot> say 1\n[1]\npitot> fail\nfail: failed\npitot> say 2\n[2]\n");
}

static void the_status_is_that_of_the_last_command(void **state)
{
    (void)state;
    assert_int_equal(console_execute("say 1; fail"), -EIO);
    assert_int_equal(console_execute("fail; say 1"), 0);
    assert_int_equal(console_execute("frobnicate"), -ENOENT);
    assert_int_equal(console_execute(""), 0);
    assert_null(strstr(printed, "pitot> "));
}

static void what_cannot_be_read_is_answered_with_one_line(void **state)
{
    (void)state;
    assert_int_equal(console_execute("say 'a; say b"), -EINVAL);
    assert_string_equal(printed, "unterminated quote '\n");
}

static void one_thread_runs_commands_at_a_time(void **state)
{
    (void)state;
    assert_true(command_owner_claim(task_ids_of(2), "the other"));
    assert_int_equal(console_execute("say 1"), -EBUSY);
    assert_string_equal(printed, "the other is running a command: end it with ^C, or wait\n");
    assert_int_equal(console_execute(""), 0);
    task_set_ids(2);
    assert_int_equal(console_execute("nested 'say 2'"), 0);
    task_set_ids(TASK_PID);
    assert_int_equal(console_execute("say 3"), -EBUSY);
    command_owner_release();
    assert_int_equal(console_execute("say 4"), 0);
    assert_non_null(strstr(printed, "\n[2]\n"));
    assert_null(strstr(printed, "[3]"));
}

static void a_command_that_is_too_long_is_refused(void **state)
{
    char text[2000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(console_execute(text), -E2BIG);
    assert_string_equal(printed, "the command has 1999 characters, 1024 are allowed\n");
}

static void commands_may_run_commands(void **state)
{
    (void)state;
    assert_int_equal(console_execute("nested 'say a; nested \"say b\"'; say c"), 0);
    assert_string_equal(printed, "[a]\n[b]\n[c]\n");
}

static void interrupt_stops_the_command_and_the_rest_of_its_line(void **state)
{
    (void)state;
    assert_int_equal(console_execute("busy ^; say never"), -EINTR);
    assert_string_equal(printed, "busy: interrupted\n^C\n");
    assert_false(command_interrupted());
    assert_int_equal(console_execute("busy x; say next"), 0);
}

static void interrupt_drops_what_was_typed_ahead_and_only_that(void **state)
{
    (void)state;
    assert_string_equal(type("busy old/^say/\r"),
                        "pitot> busy old/^say/\nbusy: interrupted\n^C\npitot> say\n\npitot> ");
}

static void interrupt_at_the_prompt_cancels_the_line(void **state)
{
    (void)state;
    assert_string_equal(type("say a\003say b\r"), "pitot> say a^C\npitot> say b\n[b]\npitot> ");
    assert_false(command_interrupted());
}

static void a_hundred_thousand_characters_are_refused_and_the_next_line_runs(void **state)
{
    static char bytes[100100];

    (void)state;
    memset(bytes, 'x', 100000);
    strcpy(bytes + 100000, "\rsay b\r");
    assert_non_null(strstr(type(bytes),
                           "\nthe line has 100000 characters, 1024 are allowed: nothing was "
                           "run\npitot> say b\n[b]\npitot> "));
}

static const char *lines_of(const char *command)
{
    printed_length = 0;
    console_execute(command);
    return printed;
}

static void interrupt_ends_the_output_with_the_line_that_is_open(void **state)
{
    const char *all = "line 1\nand line 2\nand line 3\nand the end\n";

    (void)state;
    assert_string_equal(lines_of("lines"), all);
    assert_string_equal(lines_of("lines 1; say no"), "^C\n");
    assert_string_equal(lines_of("lines 1.5; say no"), "line 1\n^C\n");
    assert_string_equal(lines_of("lines 2; say no"), "line 1\nand line 2\n^C\n");
    assert_string_equal(lines_of("lines 2.5; say no"), "line 1\nand line 2\n^C\n");
    assert_string_equal(lines_of("lines"), all);
}

static void a_command_may_answer_an_interrupt_and_the_line_ends_all_the_same(void **state)
{
    (void)state;
    assert_string_equal(lines_of("answer"), "what there is: all\n");
    assert_true(input_put(INPUT_INTERRUPT));
    assert_string_equal(lines_of("answer; say no"), "what there is: a part\n^C\n");
}

/*
 * 2.6 seconds: the line is shown after 1 and 2 seconds, and the next output begins on a new line.
 */
static void progress_replaces_itself_each_second_and_ends_its_line(void **state)
{
    (void)state;
    assert_int_equal(console_execute("long"), 0);
    assert_string_equal(printed, "\rlong: 1000 of 2500\rlong: 2000 of 2500\n" LONG_OVER);
    assert_ptr_equal(print_console(), &console_sink);
}

static void a_second_of_progress_begins_with_each_command(void **state)
{
    (void)state;
    console_execute("long");
    printed_length = 0;
    console_execute("long; say after");
    assert_string_equal(printed,
                        "\rlong: 1000 of 2500\rlong: 2000 of 2500\n" LONG_OVER "[after]\n");
}

/*
 * As if another command, which set its own console while the line was shown, had restored the sink.
 */
static void a_progress_sink_that_was_put_back_still_prints(void **state)
{
    struct sink *kept;

    (void)state;
    now_ns = 9000000000;
    pitot_progress("work", 1, 2);
    kept = print_console();
    print("a\n");
    print_set_console(kept);
    now_ns += 9000000000;
    pitot_progress("work", 2, 2);
    print("b\n");
    assert_string_equal(printed, "\rwork: 1 of 2\na\n\rwork: 2 of 2\nb\n");
    assert_ptr_equal(print_console(), &console_sink);
}

static void a_shorter_progress_line_covers_the_longer_one(void **state)
{
    (void)state;
    console_execute("say");
    printed_length = 0;
    now_ns = 2000000000;
    pitot_progress("work", 10, 10);
    now_ns = 4000000000;
    pitot_progress("w", 1, 1);
    console_execute("say");
    assert_string_equal(printed, "\rwork: 10 of 10\rw: 1 of 1     \n\n");
}

static void a_progress_line_stands_together_and_ends_so(void **state)
{
    (void)state;
    unguarded = 0;
    now_ns = 20000000000;
    pitot_progress("work", 1, 10);
    progress_end();
    print("after%s", "wards\n");
    assert_string_equal(printed, "\rwork: 1 of 10\nafterwards\n");
    assert_int_equal(unguarded, 0);
    assert_int_equal(guard_depth, 0);
}

static int with_host(void **state)
{
    (void)state;
    host.interrupted = interrupted;
    print_set_guard(guard_enter, guard_leave);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_typed_line_is_echoed_and_run, begin),
        cmocka_unit_test_setup(an_empty_line_only_prompts_again, begin),
        cmocka_unit_test_setup(a_script_shows_each_command_and_continues_after_a_failure, begin),
        cmocka_unit_test_setup(the_status_is_that_of_the_last_command, begin),
        cmocka_unit_test_setup(what_cannot_be_read_is_answered_with_one_line, begin),
        cmocka_unit_test_setup(a_command_that_is_too_long_is_refused, begin),
        cmocka_unit_test_setup(commands_may_run_commands, begin),
        cmocka_unit_test_setup(one_thread_runs_commands_at_a_time, begin),
        cmocka_unit_test_setup(interrupt_stops_the_command_and_the_rest_of_its_line, begin),
        cmocka_unit_test_setup(interrupt_drops_what_was_typed_ahead_and_only_that, begin),
        cmocka_unit_test_setup(interrupt_at_the_prompt_cancels_the_line, begin),
        cmocka_unit_test_setup(a_hundred_thousand_characters_are_refused_and_the_next_line_runs,
                               begin),
        cmocka_unit_test_setup(interrupt_ends_the_output_with_the_line_that_is_open, begin),
        cmocka_unit_test_setup(a_command_may_answer_an_interrupt_and_the_line_ends_all_the_same,
                               begin),
        cmocka_unit_test_setup(progress_replaces_itself_each_second_and_ends_its_line, begin),
        cmocka_unit_test_setup(a_second_of_progress_begins_with_each_command, begin),
        cmocka_unit_test_setup(a_progress_sink_that_was_put_back_still_prints, begin),
        cmocka_unit_test_setup(a_shorter_progress_line_covers_the_longer_one, begin),
        cmocka_unit_test_setup(a_progress_line_stands_together_and_ends_so, begin),
    };

    return cmocka_run_group_tests(tests, with_host, NULL);
}

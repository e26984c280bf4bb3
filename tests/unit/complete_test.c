/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What TAB makes of a line, with commands, threads, programs and symbols of the test's own.
 *
 * links: core/console/help.c tests/unit/fake_options.c tests/unit/fake_events.c tests/unit/fake_task.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/abi/symtab.h"
#include "core/console/command.h"
#include "core/host.h"
#include "core/lib/arguments.h"
#include "core/perf/commands.h"
#include "core/symbols/symbols.h"
#include "kernel/console/line.h"
#include "kernel/syscall/syscalls.h"

static int nothing(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

static int lists_parts(const char *part)
{
    (void)part;
    return 0;
}

static void told(const char *const *words)
{
    while (*words)
        pitot_word(*words++);
}

/* One of three numbers, in no order, or one of two flags in front of it. */
static void kill_words(int argc, char **argv)
{
    bool flag = argv[1][0] == '-';

    assert_null(argv[argc]);
    if (argc == 2 && flag)
        told((const char *const[]){"-STOP", "-CONT", NULL});
    if (argc == 2 + flag)
        told((const char *const[]){"7", "12", "7", NULL});
}

PITOT_COMMAND(reboot, "", "", nothing);
PITOT_COMMAND(regs, "", "", nothing);
PITOT_COMMAND_WITH(perf, "perf", "", "", nothing, lists_parts, perf_words);
PITOT_COMMAND_WITH(kill, "kill", "", "", nothing, 0, kill_words);
PITOT_COMMAND_AS(fs_stress, "fs-stress", "", "", nothing, 0);

/* In order: 100 numbered symbols, then these. Three functions are named "local". */
#define NUMBERED 100
static const char *const named[] = {
    "kernel_flag", "kernel_flag_owner", "kernel_main", "local", "local", "local", "zone"};

bool symbols_by_name(size_t index, struct symbol *found)
{
    static char numbered[NUMBERED][20];

    if (index >= symbols_count())
        return false;
    if (index >= NUMBERED) {
        found->name = named[index - NUMBERED];
        return true;
    }
    snprintf(numbered[index], sizeof(numbered[index]), "function_%03zu", index);
    found->name = numbered[index];
    return true;
}

size_t symbols_count(void)
{
    return NUMBERED + sizeof(named) / sizeof(named[0]);
}

/* TAB completes what may follow `mem:` without looking up its address. */
int symbols_find_name(const char *name, struct symbol *found, size_t *count)
{
    (void)found;
    (void)count;
    fail_msg("where %s is", name);
    return -1;
}

/* Threads and programs, in no order. */
static void words_tell(enum pitot_words which)
{
    if (which == PITOT_WORDS_PROGRAMS)
        told((const char *const[]){"/bin/spin", "/bin/fs-load", NULL});
    else
        told((const char *const[]){"1", "12", "7", NULL});
}

/* /bin/fs-load has two symbols, "calls" and "main". */
static const struct pitot_program *program_load(const char *path, const char **why)
{
    static const char strings[] = "calls\0main";
    static const struct symtab_entry entries[] = {{.name = 0}, {.name = 6}};
    static const uint32_t by_name[] = {0, 1};
    static const struct symbol_table symbols = {
        .entries = entries, .entry_count = 2, .by_name = by_name, .strings = strings};
    static const struct pitot_program program = {.symbols = (const struct pitot_symbols *)&symbols};

    *why = "no such file";
    return strcmp(path, "/bin/fs-load") == 0 ? &program : NULL;
}

static int setup(void **state)
{
    (void)state;
    host_ready = true;
    host.words_tell = words_tell;
    host.program_load = program_load;
    return 0;
}

static void assert_extends(const char *text, const char *expected, size_t candidates)
{
    char addition[64] = "before";

    assert_int_equal(complete_words.extend(text, strlen(text), addition, sizeof(addition)),
                     candidates);
    assert_string_equal(addition, expected);
}

static char listed[4000];
static size_t listed_length;

static void listed_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    assert_true(listed_length + length < sizeof(listed));
    memcpy(listed + listed_length, bytes, length);
    listed_length += length;
    listed[listed_length] = '\0';
}

static const char *list(const char *text)
{
    struct sink sink = {listed_write};
    char addition[64];

    listed_length = 0;
    listed[0] = '\0';
    complete_words.extend(text, strlen(text), addition, sizeof(addition));
    complete_words.list(&sink);
    return listed;
}

static void the_first_word_is_a_command(void **state)
{
    (void)state;
    assert_extends("p", "erf ", 1);
    assert_extends("perf", " ", 1);
    assert_extends("re", "", 2);
    assert_extends("reb", "oot ", 1);
    assert_extends("  reb", "oot ", 1);
    assert_extends("x", "", 0);
    assert_extends("perfect", "", 0);
    assert_extends("", "", 2);
    assert_string_equal(list("re"), "reboot  regs\n");
}

static void so_is_the_first_after_a_semicolon_and_after_dashes(void **state)
{
    (void)state;
    assert_extends("help; p", "erf ", 1);
    assert_extends("help;reg", "s ", 1);
    assert_extends("perf record -e mem:zone -- f", "s-stress ", 1);
    assert_extends("perf record -- perf rep", "ort ", 1);
    assert_extends("help re", "", 2);
    assert_extends("help perf rec", "ord ", 1);
    assert_extends("help bt r", "", 0);
}

static void perf_has_subcommands_and_options(void **state)
{
    (void)state;
    assert_extends("perf ", "", 2);
    assert_extends("perf rec", "ord ", 1);
    assert_extends("perf   s", "", 2);
    assert_extends("perf record --o", "verwrite ", 1);
    assert_extends("perf record -g --i", "ntr-regs ", 1);
    assert_extends("perf record -x", "", 0);
    assert_extends("perf list -", "", 0);
    assert_extends("perf record fs", "-stress ", 1);
    assert_extends("perf record -e mem:zone /bin/s", "pin ", 1);
    assert_extends("perf report fs", "", 0);
    assert_extends("regs -", "", 0);
    assert_string_equal(list("perf trace -"),
                        "--  --mmap-pages  --overwrite  --pid  -S  -e  -m  -p  -s\n");
    assert_string_equal(
        list("perf record -"),
        "--  --all-cpus  --by  --call-graph  --count  --cpu  --event  --filter  --force\n"
        "--freq  --from  --hist  --intr-regs  --key  --mmap-pages  --no-raw-samples\n"
        "--overwrite  --pid  --raw-samples  --skip  --start  --to  --trigger\n"
        "--verify-chain  -C  -F  -R  -a  -c  -e  -f  -g  -m  -p  -z\n");
    assert_string_equal(list("perf report -"),
                        "--call-graph  --dump-raw-trace  --last-boot  --max-stack  --no-children\n"
                        "--no-inline  --show-nr-samples  --sort  --stdio  -D  -g  -n  -s\n");
    assert_string_equal(
        list("perf stat -"),
        "--  --all-cpus  --by  --cpu  --event  --filter  --from  --hist  --interval-print\n"
        "--key  --pid  --repeat  --start  --to  -C  -I  -a  -e  -p  -r\n");
    assert_string_equal(list("perf script -"),
                        "--fields  --last-boot  --max-events  --max-stack  -F\n");
}

/* Only what would be accepted is offered. */
static void an_option_is_followed_by_what_it_takes(void **state)
{
    (void)state;
    assert_extends("perf record --filter ", "", 0);
    assert_extends("perf record --start ", "mem:", 1);
    assert_extends("perf record --start mem:kernel_m", "ain", 1);
    assert_extends("perf stat --start cpu", "", 0);
    assert_extends("perf record -c ", "", 0);
    assert_string_equal(list("perf stat --by "), "caller  comm  cpu\n");
    assert_extends("perf record --by comm --hi", "st ", 1);
    assert_string_equal(list("perf record --call-graph "), "fp  no  orc\n");
    assert_extends("perf record -F m", "ax ", 1);
    assert_string_equal(list("perf record -p "), "1  12  7\n");
    assert_string_equal(list("perf report -g "), "callee  caller  fractal  graph  none\n");
    assert_string_equal(list("perf report -g caller -s "), "comm  cpu  dso  pid  sym\n");
    assert_extends("perf report --sort comm,s", "ym", 1);
    assert_extends("perf report --max-stack ", "", 0);
    assert_string_equal(list("perf script -F "), "+iregs  iregs\n");
    assert_extends("perf report --sort=comm,s", "ym", 1);
    assert_extends("perf record -g --event=mem:z", "one", 1);
    assert_extends("perf record --overwrite=", "", 0);
    assert_string_equal(list("perf help s"), "script  stat\n");
    assert_string_equal(list("perf trace -e getp"), "getpid  getppid\n");
    assert_extends("perf trace -e read,wri", "te", 1);
    assert_extends("perf trace -e cpu", "", 0);
}

static void programs_are_names_too(void **state)
{
    (void)state;
    assert_string_equal(list("/"), "/bin/fs-load  /bin/spin\n");
    assert_extends("/bin/s", "pin ", 1);
    assert_extends("perf stat -- /b", "in/", 2);
    assert_extends("perf record -e mem:/bin/f", "s-load", 1);
    assert_string_equal(list("perf record -e mem:/bin/fs-load:"), "calls  main\n");
    assert_extends("perf record -e mem:/bin/fs-load:c", "alls", 1);
    assert_extends("perf record -e mem:/bin/nothing:c", "", 0);
    assert_extends("perf record -e mem:/bin/nothing:calls:r", "", 0);
}

static void a_command_of_the_kernel_says_what_follows_it(void **state)
{
    (void)state;
    assert_string_equal(list("kill "), "12  7\n");
    assert_extends("kill 1", "2 ", 1);
    assert_extends("kill 12 ", "", 0);
    assert_string_equal(list("kill -"), "-CONT  -STOP\n");
    assert_extends("kill -S", "TOP ", 1);
    assert_string_equal(list("kill -STOP "), "12  7\n");
    assert_extends("perf record -- kill -S", "TOP ", 1);
    assert_extends("help kill ", "", 0);
    assert_extends("regs ", "", 0);
}

static void events_are_completed_by_symbol(void **state)
{
    (void)state;
    assert_extends("perf record -e ", "", 2);
    assert_string_equal(list("perf record -e "), "branches  cpu-clock  mem:\n");
    assert_extends("perf record -e c", "pu-clock", 1);
    assert_extends("perf record -e m", "em:", 1);
    assert_extends("perf record -e mem:k", "ernel_", 2);
    assert_extends("perf record -e mem:kernel_f", "lag", 2);
    assert_extends("perf record -e mem:kernel_m", "ain", 1);
    assert_extends("perf record --event mem:z", "one", 1);
    assert_extends("perf stat -e mem:zone,mem:kernel_m", "ain", 1);
    assert_string_equal(list("perf record -e mem:kernel_flag:"), "rw  w  x\n");
    assert_extends("perf record -e mem:zone:r", "w", 1);
    assert_extends("perf record -e mem:zone/4:r", "w", 1);
    assert_extends("perf record -e mem:/bin/fs-load:calls:r", "w", 1);
    assert_extends("perf record -e mem:zone:w:", "", 0);
    assert_extends("perf record -e mem:nosuch", "", 0);
}

static void names_that_repeat_are_one_candidate(void **state)
{
    (void)state;
    assert_extends("perf record -e mem:lo", "cal", 1);
    assert_string_equal(list("perf record -e mem:lo"), "local\n");
}

static void a_list_has_forty_names_and_says_how_many_more(void **state)
{
    const char *row = list("perf record -e mem:f");

    (void)state;
    assert_non_null(strstr(row, "function_039\n... and 60 more\n"));
    assert_null(strstr(row, "function_040"));
    for (const char *end; (end = strchr(row, '\n')); row = end + 1)
        assert_true(end - row <= 80);
    assert_non_null(strstr(list("perf record -e mem:"), "... and 65 more\n"));
}

static void quotes_are_left_alone(void **state)
{
    (void)state;
    assert_extends("'p", "", 0);
    assert_extends("perf \"rec", "", 0);
    assert_extends("perf re\\c", "", 0);
}

/* The last of 32 words, and of 33; and the last of 1024 characters, and of 1025. */
static void what_is_too_long_has_no_candidates(void **state)
{
    char line[1100] = "perf record";

    (void)state;
    for (int i = 0; i < ARGUMENTS_MAX - 4; i++)
        strcat(line, " -g");
    strcat(line, " -e mem:z");
    assert_extends(line, "one", 1);
    memcpy(strstr(line, "-e"), "-g -e mem:z", 12);
    assert_extends(line, "", 0);
    memset(line, ' ', sizeof(line));
    memcpy(line + 1024 - 2, "re", 3);
    assert_extends(line, "", 2);
    memcpy(line + 1024 - 1, "re", 3);
    assert_extends(line, "", 0);
    assert_null(pitot_next_candidate(NULL));
}

/* pitot_init has not succeeded. */
static void before_pitot_is_ready_there_are_none(void **state)
{
    (void)state;
    assert_extends("reb", "oot ", 1);
    host_ready = false;
    assert_extends("reb", "", 0);
    assert_null(pitot_next_candidate(NULL));
    host_ready = true;
}

static void a_short_buffer_gets_what_fits(void **state)
{
    char addition[3];

    (void)state;
    assert_int_equal(complete_words.extend("reb", 3, addition, sizeof(addition)), 1);
    assert_string_equal(addition, "oo");
}

int main(void)
{
    host.calls = syscall_table;
    host.call_count = syscall_count;

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_word_is_a_command),
        cmocka_unit_test(so_is_the_first_after_a_semicolon_and_after_dashes),
        cmocka_unit_test(perf_has_subcommands_and_options),
        cmocka_unit_test(an_option_is_followed_by_what_it_takes),
        cmocka_unit_test(programs_are_names_too),
        cmocka_unit_test(a_command_of_the_kernel_says_what_follows_it),
        cmocka_unit_test(events_are_completed_by_symbol),
        cmocka_unit_test(names_that_repeat_are_one_candidate),
        cmocka_unit_test(a_list_has_forty_names_and_says_how_many_more),
        cmocka_unit_test(quotes_are_left_alone),
        cmocka_unit_test(what_is_too_long_has_no_candidates),
        cmocka_unit_test(before_pitot_is_ready_there_are_none),
        cmocka_unit_test(a_short_buffer_gets_what_fits),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How events are written: what each form means, and the message for each wrong one.
 *
 * links: tools/symtab/table.c tests/unit/fake_events.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/hw_breakpoint.h>

#include "arch/step.h"
#include "core/event/spec.h"
#include "core/lib/assert.h"
#include "tests/unit/fake_symtab.h"

#define TEXT 0xffffffff80100000ull
#define FLAG 0xffffffff80200000ull

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

unsigned arch_cpus(void)
{
    return 1;
}

bool arch_step_excludes_watches(void)
{
    return false;
}

static int load_some(void **state)
{
    const struct table_symbol list[] = {
        fake_function("lock_kernel", TEXT, 57), fake_object("kernel_flag", FLAG, 4),
        fake_object("pair", FLAG + 0x20, 16),   fake_object("page", FLAG + 0x1000, 4096),
        fake_object("bare", FLAG + 0x4000, 0),  fake_object("count.0", FLAG + 0x5000, 8),
        fake_object("twin", FLAG + 0x6000, 8),  fake_object("twin", FLAG + 0x6010, 8),
        fake_object("many", FLAG + 0x7000, 1),  fake_object("many", FLAG + 0x7001, 1),
        fake_object("many", FLAG + 0x7002, 1),  fake_object("many", FLAG + 0x7003, 1),
        fake_object("many", FLAG + 0x7004, 1),
    };

    (void)state;
    fake_symtab_load(list, sizeof(list) / sizeof(list[0]));
    return 0;
}

#define R  HW_BREAKPOINT_R
#define W  HW_BREAKPOINT_W
#define RW HW_BREAKPOINT_RW
#define X  HW_BREAKPOINT_X

static void each_spelling_means_one_attr(void **state)
{
    static const struct {
        const char *spelling;
        uint64_t address, length;
        uint32_t access;
        bool no_user, no_kernel;
    } cases[] = {
        {"mem:0xffffffff80200000", FLAG, 4, RW, false, false},
        {"mem:0XFFFFFFFF80200000/8:w", FLAG, 8, W, false, false},
        {"mem:4096", 4096, 4, RW, false, false},
        {"mem:010", 10, 4, RW, false, false},
        {"mem:0", 0, 4, RW, false, false},
        {"mem:18446744073709551615/1", UINT64_MAX, 1, RW, false, false},
        {"mem:kernel_flag", FLAG, 4, RW, false, false},
        {"mem:kernel_flag:rw", FLAG, 4, RW, false, false},
        {"mem:kernel_flag:wr", FLAG, 4, RW, false, false},
        {"mem:kernel_flag:w", FLAG, 4, W, false, false},
        {"mem:kernel_flag/2", FLAG, 2, RW, false, false},
        {"mem:kernel_flag/0x2:w:k", FLAG, 2, W, true, false},
        {"mem:kernel_flag:u", FLAG, 4, RW, false, true},
        {"mem:kernel_flag:rw:uk", FLAG, 4, RW, false, false},
        {"mem:kernel_flag+2", FLAG + 2, 4, RW, false, false},
        {"mem:kernel_flag-8/8:w", FLAG - 8, 8, W, false, false},
        {"mem:pair", FLAG + 0x20, 16, RW, false, false},
        {"mem:pair+0x8/8:w", FLAG + 0x28, 8, W, false, false},
        {"mem:page+16", FLAG + 0x1010, 4, RW, false, false},
        {"mem:page/32", FLAG + 0x1000, 32, RW, false, false},
        {"mem:bare", FLAG + 0x4000, 4, RW, false, false},
        {"mem:bare+0x100", FLAG + 0x4100, 4, RW, false, false},
        {"mem:count.0:w", FLAG + 0x5000, 8, W, false, false},
        {"mem:lock_kernel:x", TEXT, 8, X, false, false},
        {"mem:lock_kernel/1:x", TEXT, 8, X, false, false},
        {"mem:lock_kernel/8:x:k", TEXT, 8, X, true, false},
        {"mem:lock_kernel+4:x", TEXT + 4, 8, X, false, false},
        {"mem:lock_kernel:w", TEXT, 1, W, false, false},
        {"5:0xffffffff80200000", FLAG, 1, RW, false, false},
        {"5:kernel_flag", FLAG, 1, RW, false, false},
        {"5:page", FLAG + 0x1000, 1, RW, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event_spec spec, expected = {.attr.type = PERF_TYPE_BREAKPOINT};
        struct refusal why = {""};
        if (event_spec_parse(cases[i].spelling, &spec, &why) != 0)
            fail_msg("%s: %s", cases[i].spelling, why.text);
        expected.attr.size = sizeof(expected.attr);
        expected.attr.bp_addr = cases[i].address;
        expected.attr.bp_len = cases[i].length;
        expected.attr.bp_type = cases[i].access;
        expected.attr.exclude_user = cases[i].no_user;
        expected.attr.exclude_kernel = cases[i].no_kernel;
        print_message("%s\n", cases[i].spelling);
        assert_memory_equal(&spec.attr, &expected.attr, sizeof(spec.attr));
        assert_string_equal(spec.name, cases[i].spelling);
    }
}

static void the_clock_has_a_name_and_modifiers(void **state)
{
    static const struct {
        const char *spelling;
        bool no_user, no_kernel;
    } cases[] = {
        {"cpu-clock", false, false},
        {"cpu-clock:k", true, false},
        {"cpu-clock:u", false, true},
        {"cpu-clock:uk", false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event_spec spec, expected = {.attr = {.type = PERF_TYPE_SOFTWARE,
                                                     .config = PERF_COUNT_SW_CPU_CLOCK,
                                                     .size = sizeof(spec.attr)}};
        struct refusal why = {""};

        expected.attr.exclude_user = cases[i].no_user;
        expected.attr.exclude_kernel = cases[i].no_kernel;
        assert_int_equal(event_spec_parse(cases[i].spelling, &spec, &why), 0);
        assert_memory_equal(&spec.attr, &expected.attr, sizeof(spec.attr));
        assert_string_equal(spec.name, cases[i].spelling);
    }
}

static void branches_have_two_names_and_modifiers(void **state)
{
    static const char *const spellings[] = {"branches", "branches:k", "branch-instructions:k"};

    (void)state;
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        struct event_spec spec, expected = {.attr = {.type = PERF_TYPE_HARDWARE,
                                                     .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
                                                     .size = sizeof(spec.attr)}};
        struct refusal why = {""};

        expected.attr.exclude_user = i > 0;
        assert_int_equal(event_spec_parse(spellings[i], &spec, &why), 0);
        assert_memory_equal(&spec.attr, &expected.attr, sizeof(spec.attr));
        assert_string_equal(spec.name, spellings[i]);
    }
}

static void a_symbol_without_mem_is_told_what_to_write(void **state)
{
    static const struct {
        const char *spelling, *reason;
    } cases[] = {
        {"lock_kernel", "\"lock_kernel\"; for calls of the function: mem:lock_kernel:x"},
        {"probe:lock_kernel", "probe:lock_kernel\"; for calls of the function: mem:lock_kernel:x"},
        {"kernel_flag:w", "; for accesses to the variable: mem:kernel_flag:rw"},
        {"twin", "; for accesses to the variable: mem:twin:rw"},
        {"kprobe:lock_kernl",
         "\"kprobe:lock_kernl\"; near: mem:lock_kernel; `perf list` lists all"},
    };
    struct event_spec spec;
    struct refusal why;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(event_spec_parse(cases[i].spelling, &spec, &why), -EINVAL);
        if (!strstr(why.text, cases[i].reason))
            fail_msg("%s: \"%s\"", cases[i].spelling, why.text);
    }
}

static void each_wrong_spelling_is_told_what_is_wrong(void **state)
{
    static const struct {
        const char *spelling;
        int error;
        const char *reason; /* a part of it */
    } cases[] = {
        {"", EINVAL, "unknown event \"\""},
        {"cpu-clocks", EINVAL, "unknown event \"cpu-clocks\""},
        {"cpu-clock/4", EINVAL, "unknown event \"cpu-clock/4\""},
        {"cpu-clock:", EINVAL, "\"\" is not a modifier of cpu-clock (u, k)"},
        {"cpu-clock:w", EINVAL, "\"w\" is not a modifier of cpu-clock (u, k)"},
        {"cpu-clock:k:k", EINVAL, "unexpected \":k\" after the event: mem:[/PROGRAM:]ADDR"},
        {"branch", EINVAL, "unknown event \"branch\""},
        {"branches/4", EINVAL, "unknown event \"branches/4\""},
        {"branches:", EINVAL, "\"\" is not a modifier of branches (u, k)"},
        {"branch-instructions:w", EINVAL, "\"w\" is not a modifier of branches (u, k)"},
        {"task-clock", EINVAL, "unknown event \"task-clock\""},
        {"cycles", EINVAL, "unknown event \"cycles\": mem:[/PROGRAM:]ADDR"},
        {"mem", EINVAL, "unknown event"},
        {"mem:", EINVAL, "address missing at the end"},
        {"5:", EINVAL, "address missing at the end"},
        {"mem:/4", EINVAL, "address missing before \"/4\""},
        {"mem::w", EINVAL, "address missing before \":w\""},
        {"mem: kernel_flag", EINVAL, "address missing before \" kernel_flag\""},
        {"mem:+4", EINVAL, "address missing"},
        {"mem:-4", EINVAL, "address missing"},
        {"mem:0x", EINVAL, "\"0x\" is not a number"},
        {"mem:0xfg", EINVAL, "\"0xfg\" is not a number"},
        {"mem:12a", EINVAL, "\"12a\" is not a number"},
        {"mem:0x10000000000000000", EINVAL, "does not fit into 64 bits"},
        {"mem:18446744073709551616", EINVAL, "does not fit into 64 bits"},
        {"mem:0x10+4", EINVAL, "\"0x10+4\" is not a number"},
        {"mem:kernel_flag+", EINVAL, "offset missing after \"kernel_flag+\""},
        {"mem:kernel_flag-0xffffffff80200001", EINVAL, "lies before the first address"},
        {"mem:kernel_flag+x", EINVAL, "\"x\" is not a number"},
        {"mem:kernel_flag+4", EINVAL, "+0x4 lies beyond the end of kernel_flag, which is 4 bytes"},
        {"mem:bare+0xffffffffffffffff", EINVAL, "beyond the end of memory"},
        {"mem:kernel_flag/", EINVAL, "length missing at the end"},
        {"mem:kernel_flag//4", EINVAL, "length missing before \"/4\""},
        {"mem:kernel_flag/0", EINVAL, "length 0: 1 to 32"},
        {"mem:kernel_flag/33", EINVAL, "length 33: 1 to 32"},
        {"mem:kernel_flag/4/4", EINVAL, "unexpected \"/4\" after the event"},
        {"mem:kernel_flag/w", EINVAL, "\"w\" is not a number"},
        {"mem:kernel_flag:r", EINVAL, "x86 has no read-only watchpoint; rw is the nearest"},
        {"mem:kernel_flag:rx", EINVAL, "access \"rx\": one register cannot watch x together"},
        {"mem:kernel_flag:xw", EINVAL, "access \"xw\": one register cannot watch x together"},
        {"mem:kernel_flag:ww", EINVAL, "\"ww\" is neither an access"},
        {"mem:kernel_flag:q", EINVAL, "\"q\" is neither an access"},
        {"mem:kernel_flag:", EINVAL, "neither an access"},
        {"mem:kernel_flag:w:", EINVAL, "neither an access"},
        {"mem:kernel_flag:w:q", EINVAL, "\"q\" is neither an access"},
        {"mem:kernel_flag:uu", EINVAL, "\"uu\" is neither an access"},
        {"mem:kernel_flag:k:w", EINVAL, "unexpected \":w\" after the event"},
        {"mem:kernel_flag:w:k:k", EINVAL, "unexpected \":k\" after the event"},
        {"mem:kernel_flag:w/4", EINVAL, "unexpected \"/4\" after the event"},
        {"mem:lock_kernel/4:x", EINVAL, "length 4: for x give 1, or 8"},
        {"mem:page", EINVAL,
         "page is 4096 bytes long; the debug registers cover 32: give /LEN, for example "
         "mem:page/8"},
        {"mem:kernel_flog", ENOENT, "no symbol \"kernel_flog\"; near: kernel_flag"},
        {"mem:qqqqqqqq", ENOENT, "no symbol \"qqqqqqqq\", and none"},
        {"mem:twin", EINVAL,
         "2 symbols are called \"twin\"; give the address: "
         "0xffffffff80206000, 0xffffffff80206010"},
        {"mem:many", EINVAL, "0xffffffff80207003, ..."},
        {"5:kernel_flag:w", EINVAL, "unexpected \":w\" after the event"},
        {"5:kernel_flag/4", EINVAL, "unexpected \"/4\" after the event"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event_spec spec;
        struct refusal why = {""};
        int error = event_spec_parse(cases[i].spelling, &spec, &why);
        if (error != -cases[i].error || !strstr(why.text, cases[i].reason))
            fail_msg("%s: %d %s", cases[i].spelling, error, why.text);
        assert_int_equal(event_spec_parse(cases[i].spelling, &spec, NULL), error);
    }
}

static void a_spelling_longer_than_its_place_is_refused(void **state)
{
    static char spelling[100001] = "mem:";
    struct event_spec spec;
    struct refusal why;

    (void)state;
    memset(spelling + 4, 'k', EVENT_NAME_SIZE - 5);
    assert_int_equal(event_spec_parse(spelling, &spec, &why), -ENOENT);
    memset(spelling + 4, 'k', EVENT_NAME_SIZE - 4);
    assert_int_equal(event_spec_parse(spelling, &spec, &why), -EINVAL);
    assert_string_equal(why.text, "the event has 96 characters; at most 95 are allowed");
    memset(spelling + 4, 'k', sizeof(spelling) - 5);
    assert_int_equal(event_spec_parse(spelling, &spec, &why), -EINVAL);
}

/* Random combinations of the grammar's pieces. */
static void write_random(char *spelling, size_t size)
{
    static const char *const pieces[] = {
        "mem:",
        "5:",
        "kernel_flag",
        "lock_kernel",
        "twin",
        "page",
        "0x",
        "ffffffff80200000",
        "9",
        "/",
        ":",
        "+",
        "r",
        "w",
        "x",
        "u",
        "k",
        "rw",
        "",
        " ",
        "-",
        "\xff",
        "4",
        "8",
        "32",
        "0x1",
        "qq",
        ",",
        "%s",
        "\n",
    };
    size_t length = 0;

    if (rand() % 4)
        length = strlen(strcpy(spelling, rand() % 8 ? "mem:" : "5:"));
    for (int i = rand() % 9; i > 0; i--) {
        const char *piece = pieces[(size_t)rand() % (sizeof(pieces) / sizeof(pieces[0]))];
        if (length + strlen(piece) >= size)
            break;
        strcpy(spelling + length, piece);
        length += strlen(piece);
    }
    spelling[length] = '\0';
}

static void random_spellings_are_either_sound_or_refused_with_a_reason(void **state)
{
    int sound = 0;

    (void)state;
    srand(5);
    for (int i = 0; i < 200000; i++) {
        char *spelling = malloc(120); /* so that the sanitizer detects reads past it */
        struct event_spec spec;
        struct refusal why = {""};
        write_random(spelling, 120);
        int error = event_spec_parse(spelling, &spec, &why);
        if (error) {
            assert_true(error == -EINVAL || error == -ENOENT);
            assert_true(why.text[0] != '\0');
        } else {
            sound++;
            assert_true(spec.attr.bp_len >= 1 && spec.attr.bp_len <= 32);
            assert_true(spec.attr.bp_type == W || spec.attr.bp_type == RW ||
                        spec.attr.bp_type == X);
            assert_true(spec.attr.bp_type != X || spec.attr.bp_len == 8);
            assert_string_equal(spec.name, spelling);
        }
        free(spelling);
    }
    assert_true(sound > 1000); /* the fuzzer also reaches valid events */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_spelling_means_one_attr, load_some),
        cmocka_unit_test_setup(the_clock_has_a_name_and_modifiers, load_some),
        cmocka_unit_test_setup(branches_have_two_names_and_modifiers, load_some),
        cmocka_unit_test_setup(a_symbol_without_mem_is_told_what_to_write, load_some),
        cmocka_unit_test_setup(each_wrong_spelling_is_told_what_is_wrong, load_some),
        cmocka_unit_test_setup(a_spelling_longer_than_its_place_is_refused, load_some),
        cmocka_unit_test_setup(random_spellings_are_either_sound_or_refused_with_a_reason,
                               load_some),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

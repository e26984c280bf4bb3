/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The print family against the C library's: formats that both support must print the same.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/print.h"
#include "core/lib/refusal.h"

/* Formats with both families and compares text and length. */
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char ours[400], theirs[400];                                                               \
        size_t length = print_into(ours, sizeof(ours), __VA_ARGS__);                               \
        int expected = snprintf(theirs, sizeof(theirs), __VA_ARGS__);                              \
        assert_string_equal(ours, theirs);                                                         \
        assert_int_equal(length, expected);                                                        \
    } while (0)

static void numbers_print_as_the_c_library_prints_them(void **state)
{
    (void)state;
    SAME("plain text, no conversion");
    SAME("%d %i %d %d %d", 0, -1, INT_MAX, INT_MIN, 42);
    SAME("%u %x %u %x", 0u, 0u, UINT_MAX, UINT_MAX);
    SAME("%ld %ld %lu %lx", LONG_MAX, LONG_MIN, ULONG_MAX, ULONG_MAX);
    SAME("%lld %llu %llx", LLONG_MIN, ULLONG_MAX, 0x123456789abcdefull);
    SAME("%zu %zx %zd", (size_t)-1, (size_t)0x1000, (size_t)7);
    SAME("%p", (void *)0xffffffff80001234);
    SAME("100%% of %d", 3);
}

static void widths_and_flags_pad_as_the_c_library_pads(void **state)
{
    (void)state;
    SAME("[%5d] [%-5d] [%05d]", 42, 42, 42);
    SAME("[%5d] [%-5d] [%05d] [%1d]", -42, -42, -42, -42);
    SAME("[%16lx] [%016lx] [%-16lx]", 0xbeeful, 0xbeeful, 0xbeeful);
    SAME("[%*d] [%-*d] [%*d]", 8, 1, 8, 1, -8, 1);
    SAME("[%20p] [%-20p]", (void *)0x10, (void *)0x10);
    SAME("[%100d] [%-100u] [%099x]", 1, 2u, 3u);
    SAME("[%3c] [%-3c] [%c]", 'x', 'y', 'z');
}

static void strings_are_cut_at_the_precision(void **state)
{
    const char unterminated[3] = {'a', 'b', 'c'};

    (void)state;
    SAME("[%s] [%10s] [%-10s]", "word", "word", "word");
    SAME("[%.2s] [%.0s] [%.9s] [%10.2s] [%-10.2s]", "word", "word", "word", "word", "word");
    SAME("[%.*s] [%.*s]", 3, "abcdef", -1, "abcdef");
    SAME("[%.3s]", unterminated);
}

static void no_string_at_all_prints_null(void **state)
{
    char text[20];
    const char *volatile nothing = NULL;

    (void)state;
    print_into(text, sizeof(text), "%s", nothing);
    assert_string_equal(text, "(null)");
}

/* Not constants, as the compiler would reject them. */
static void a_wrong_format_prints_itself(void **state)
{
    char text[40];
    const char *volatile formats[] = {"a%qb", "end%", "%-08", "%llk"};

    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        print_into(text, sizeof(text), formats[i]);
#pragma GCC diagnostic pop
        assert_string_equal(text, formats[i]);
    }
}

static void a_short_buffer_ends_in_nul_and_the_whole_length_is_told(void **state)
{
    (void)state;
    for (size_t size = 0; size < 14; size++) {
        char ours[20], theirs[20];
        memset(ours, '#', sizeof(ours));
        memset(theirs, '#', sizeof(theirs));
        size_t length = print_into(ours, size, "%s-%06d", "word", 123);
        int expected = snprintf(theirs, size, "%s-%06d", "word", 123);
        assert_int_equal(length, expected);
        assert_memory_equal(ours, theirs, sizeof(ours));
    }
    assert_int_equal(print_into(NULL, 0, "%d and %d", 12, 13), 9);
}

struct counting_sink {
    struct sink sink;
    size_t calls, bytes;
};

static void count_write(struct sink *sink, const char *bytes, size_t length)
{
    struct counting_sink *counter = (struct counting_sink *)sink;

    assert_non_null(bytes);
    assert_int_not_equal(length, 0);
    counter->calls++;
    counter->bytes += length;
}

static void the_console_is_nowhere_until_it_is_set(void **state)
{
    struct counting_sink counter = {{count_write}, 0, 0};

    (void)state;
    print("to nobody %d", 1);
    assert_null(print_console());
    print_set_console(&counter.sink);
    assert_ptr_equal(print_console(), &counter.sink);
    print("%s%s%5d", "", "abc", 7);
    assert_int_equal(counter.bytes, 8);
    print_set_console(NULL);
}

static struct counting_sink before = {{count_write}, 0, 0}, after = {{count_write}, 0, 0};

/* Another CPU, which was first, has set another sink for the console. */
static void enter_late(void)
{
    print_set_console(&after.sink);
}

static void leave(void)
{
}

static void a_print_that_waits_goes_to_the_console_of_then(void **state)
{
    (void)state;
    print_set_console(&before.sink);
    print_set_guard(enter_late, leave);
    print("abc");
    print_set_guard(NULL, NULL);
    print_set_console(NULL);
    assert_int_equal(before.bytes, 0);
    assert_int_equal(after.bytes, 3);
}

static void a_refusal_carries_its_reason_and_negative_errno(void **state)
{
    struct refusal why;
    char name[2 * sizeof(why.text)];

    (void)state;
    assert_int_equal(refuse(&why, EINVAL, "length %d: 1, 2, 4 or 8 are allowed", 3), -EINVAL);
    assert_string_equal(why.text, "length 3: 1, 2, 4 or 8 are allowed");
    assert_int_equal(refuse(NULL, ENOENT, "nobody reads this"), -ENOENT);

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    refuse(&why, EINVAL, "%s", name);
    assert_int_equal(strlen(why.text), sizeof(why.text) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_print_as_the_c_library_prints_them),
        cmocka_unit_test(widths_and_flags_pad_as_the_c_library_pads),
        cmocka_unit_test(strings_are_cut_at_the_precision),
        cmocka_unit_test(no_string_at_all_prints_null),
        cmocka_unit_test(a_wrong_format_prints_itself),
        cmocka_unit_test(a_short_buffer_ends_in_nul_and_the_whole_length_is_told),
        cmocka_unit_test(the_console_is_nowhere_until_it_is_set),
        cmocka_unit_test(a_print_that_waits_goes_to_the_console_of_then),
        cmocka_unit_test(a_refusal_carries_its_reason_and_negative_errno),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

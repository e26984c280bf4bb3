/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions may be reported once for a group of iterations, and which bytes such a group
 * accessed, compared with a search over all places where the group may have begun.
 *
 * links: tests/unit/fake_arch.c
 */
#include "arch/x86_64/debug/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool repeats(const char *before, const char *after)
{
    uint8_t around[2 * ARCH_REPEAT_AROUND];

    memset(around, 0x90, sizeof(around));
    memcpy(around + ARCH_REPEAT_AROUND - strlen(before), before, strlen(before));
    memcpy(around + ARCH_REPEAT_AROUND, after, strlen(after));
    return arch_watch_repeats(around);
}

static void a_repeated_instruction_ends_or_begins_at_ip(void **state)
{
    (void)state;
    assert_true(repeats("\xf3\xaa", ""));         /* rep stosb */
    assert_true(repeats("\xf3\x48\xa5", ""));     /* rep movsq */
    assert_true(repeats("\x66\xf3\xab", ""));     /* rep stosw */
    assert_true(repeats("\xf2\xae", ""));         /* repne scasb */
    assert_true(repeats("", "\xf3\x48\xab"));     /* before its next iteration */
    assert_true(repeats("\xf3\x6c", "\xf3\x6c")); /* rep insb */
    assert_true(repeats("\xf3\x67\x48\xa5", "")); /* with a 32-bit address */
    assert_true(repeats("", "\x66\xf3\xab"));
    assert_false(repeats("\xaa", "")); /* stosb alone */
    assert_false(repeats("", "\x66\xab"));
    assert_false(repeats("\x48\x89\x03", "\x90"));
    assert_false(repeats("", "\xf3\x0f\xb8")); /* popcnt */
    assert_false(repeats("\xf3\x90", ""));     /* pause */
}

/* The address of iteration `i`, counted from the last one, 0, whose address is `last`. */
static uintptr_t place(uintptr_t last, unsigned i, unsigned size, bool down)
{
    return down ? last + i * size : last - i * size;
}

static bool touches(uintptr_t at, unsigned size, const struct arch_watch *watch)
{
    return at < watch->address + watch->length && watch->address < at + size;
}

/*
 * The group certainly includes the last iteration that touches the watch, and begins no earlier
 * than the first.
 */
static void assert_widened(uintptr_t last, unsigned size, bool down, const struct arch_watch *watch)
{
    struct arch_made made[ARCH_MADE_MAX] = {
        {last, size, true, false, true, last, size, (uint8_t)size}};
    const struct regs regs = {.flags = down ? FLAGS_DIRECTION : 0};
    unsigned latest = 0, earliest = 0;

    for (unsigned i = 0; i < 64; i++)
        if (touches(place(last, i, size, down), size, watch)) {
            latest = latest ? latest : i + 1;
            earliest = i + 1;
        }
    if (!latest)
        latest = earliest = 1; /* no iteration explains the hit */
    group_widen(made, 1, watch, &regs);
    assert_int_equal(made[0].size, latest * size);
    assert_int_equal(made[0].may_size, earliest * size);
    assert_int_equal(made[0].address, down ? last : place(last, latest - 1, size, false));
    assert_int_equal(made[0].may_address, down ? last : place(last, earliest - 1, size, false));
}

static void a_group_reaches_back_to_the_watch_that_was_reported(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 8; size *= 2)
        for (uint8_t length = 1; length <= 8; length = (uint8_t)(2 * length))
            for (uintptr_t last = 0x1000; last < 0x1040; last++)
                for (unsigned down = 0; down < 2; down++) {
                    const struct arch_watch watch = {0x1020, length, ARCH_WRITE};

                    assert_widened(last, size, down, &watch);
                }
}

static void either_access_may_be_the_one_that_hit(void **state)
{
    const struct arch_watch written = {0x1010, 1, ARCH_WRITE},
                            either = {0x1010, 1, ARCH_READ_WRITE};
    const struct arch_made last[ARCH_MADE_MAX] = {
        {0x101f, 1, true, false, true, 0x101f, 1, 1},  /* written: 16 iterations ago at 0x1010 */
        {0x1013, 1, true, true, false, 0x1013, 1, 1}}; /* read: 4 iterations ago */
    const struct regs regs = {.flags = 0};
    struct arch_made made[ARCH_MADE_MAX];

    (void)state;
    memcpy(made, last, sizeof(made));
    group_widen(made, 2, &either, &regs);
    assert_int_equal(made[0].size, 4);
    assert_int_equal(made[0].may_size, 16);
    assert_int_equal(made[1].size, 4);
    assert_int_equal(made[1].may_size, 16);
    memcpy(made, last, sizeof(made));
    group_widen(made, 2, &written, &regs);
    assert_int_equal(made[1].size, 16);
    assert_int_equal(made[1].may_address, 0x1013 - 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_instruction_ends_or_begins_at_ip),
        cmocka_unit_test(a_group_reaches_back_to_the_watch_that_was_reported),
        cmocka_unit_test(either_access_may_be_the_one_that_hit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

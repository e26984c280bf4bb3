/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boot/clock_rate.c: which of the machine's clocks it trusts, for every combination of them. It
 * must not trust one that is stopped, has a wrong rate or wraps, must not be misled by a machine
 * that is delayed at any reading, and must refuse if it can trust none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "boot/boot.h"
#include "core/lib/print.h"
#include "drivers/acpi.h"
#include "drivers/hpet.h"
#include "drivers/pit8254.h"
#include "kernel/panic/panic.h"
#include "kernel/x86_64/cpu/clock.h"
#include "kernel/x86_64/memory/paging.h"

#define RATE       2300000000ull /* the time stamp counter's */
#define HPET_HERTZ 10000000u
#define LOOK       2300 /* ticks that reading a clock takes: a microsecond */

enum { HPET, PM_TIMER, CPUID, PIT, CLOCKS };

static uint64_t now;          /* ticks */
static uint64_t looks;        /* readings of all clocks */
static uint64_t held_up_at;   /* at this reading the machine is delayed, */
static uint64_t held_up_for;  /* ... for so many ticks, once */
static bool there[CLOCKS];    /* the machine has the clock, */
static unsigned runs[CLOCKS]; /* ... which runs at this percentage of its nominal rate */
static uint64_t pit_began;
static uint64_t found;
static struct acpi acpi;
static char said[256];
static jmp_buf panicked;

static void pass(uint64_t ticks)
{
    now += ticks;
    if (++looks == held_up_at)
        now += held_up_for;
}

uint64_t arch_clock_ns(void)
{
    pass(20);
    return now;
}

/* A reading shows the count at half of its duration. */
static uint64_t count_of(unsigned clock, uint64_t hertz, uint64_t since)
{
    uint64_t count;

    pass(LOOK / 2);
    count = (uint64_t)((unsigned __int128)(now - since) * hertz * runs[clock] / 100 / RATE);
    pass(LOOK / 2);
    return count;
}

void clock_set_rate(uint64_t ticks)
{
    found = ticks;
}

uint64_t clock_rate_by_cpuid(void)
{
    return there[CPUID] ? RATE * runs[CPUID] / 100 : 0;
}

volatile void *paging_map_device(uint64_t physical)
{
    return physical ? &now : NULL;
}

const char *hpet_init(volatile void *mapped)
{
    assert_non_null(mapped);
    return NULL;
}

uint32_t hpet_count_start(void)
{
    return HPET_HERTZ;
}

uint32_t hpet_count(void)
{
    return (uint32_t)(count_of(HPET, HPET_HERTZ, 0) + 0xfffffff0);
}

void pm_timer_init(uint16_t port)
{
    assert_int_equal(port, acpi.pm_timer_port);
}

uint32_t pm_timer_count(void)
{
    return (uint32_t)(count_of(PM_TIMER, PM_TIMER_HERTZ, 0) + 0xfff000) & PM_TIMER_MASK;
}

bool pit_count_start(void)
{
    pit_began = now;
    return there[PIT];
}

uint32_t pit_count(void)
{
    uint64_t count = count_of(PIT, PIT_HERTZ, pit_began);

    return count > PIT_COUNT_MASK ? PIT_COUNT_MASK : (uint32_t)count;
}

_Noreturn void panic(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_list_into(said, sizeof(said), format, arguments);
    va_end(arguments);
    longjmp(panicked, 1);
}

static void find(void)
{
    acpi.hpet_address = there[HPET] ? 0xfed00000 : 0;
    acpi.pm_timer_port = there[PM_TIMER] ? 0xb008 : 0;
    found = looks = 0;
    now = 12345;
    said[0] = '\0';
    if (!setjmp(panicked))
        clock_rate_find(&acpi);
}

/* Bit n of `clocks`: clock n exists. All run at their nominal rates. */
static void machine(unsigned clocks)
{
    held_up_at = 0;
    for (unsigned clock = 0; clock < CLOCKS; clock++) {
        there[clock] = clocks >> clock & 1;
        runs[clock] = 100;
    }
}

static bool is_right(uint64_t part)
{
    return found > RATE - RATE / part && found < RATE + RATE / part;
}

static void any_set_of_clocks_will_do(void **state)
{
    (void)state;
    for (unsigned clocks = 1; clocks < 1u << CLOCKS; clocks++) {
        if (clocks == 1u << CPUID) /* no other source gives the rate */
            continue;
        machine(clocks);
        find();
        assert_true(is_right(2000));
        assert_true(now - 12345 < RATE / 50); /* 5 ms, or 10 for a single one, and readings */
    }
}

static void without_any_the_boot_ends_and_says_what_it_needs(void **state)
{
    (void)state;
    machine(0);
    find();
    assert_int_equal(found, 0);
    assert_non_null(strstr(said, "one of these is needed"));
}

/* A clock that is stopped, 1 % too fast, or a thousand times too slow, is not trusted. */
static void two_right_ones_are_believed_and_a_wrong_one_is_not(void **state)
{
    static const unsigned wrong[] = {0, 101, 99, 0, 1000};

    (void)state;
    for (unsigned liar = 0; liar < CLOCKS; liar++)
        for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
            for (unsigned missing = 0; missing <= CLOCKS; missing++) {
                machine(0xf & ~(1u << missing));
                runs[liar] = wrong[i];
                find();
                assert_true(is_right(2000));
            }
}

static void two_that_say_different_things_are_refused_with_both(void **state)
{
    (void)state;
    machine(1u << HPET | 1u << PM_TIMER);
    runs[PM_TIMER] = 50;
    find();
    assert_int_equal(found, 0);
    assert_non_null(strstr(said, "no two sources agree: HPET 2"));
    assert_non_null(strstr(said, ", PM timer "));
}

/* A single source with a rate that no counter has: an absent 8254's port once gave 41 kHz. */
static void a_rate_that_nothing_has_is_refused(void **state)
{
    (void)state;
    machine(1u << HPET);
    runs[HPET] = 100 * 60000; /* the counter would have 38 kHz */
    find();
    assert_int_equal(found, 0);
}

/* At every reading, and for several times, up to one in which the counts wrap. */
static void a_machine_that_is_held_up_anywhere_finds_the_rate(void **state)
{
    static const uint64_t milliseconds[] = {1, 20, 60, 5000};
    static const unsigned machines[] = {0xf, 1u << HPET | 1u << PIT, 1u << PM_TIMER | 1u << PIT};

    (void)state;
    for (unsigned m = 0; m < sizeof(machines) / sizeof(*machines); m++)
        for (unsigned i = 0; i < sizeof(milliseconds) / sizeof(*milliseconds); i++) {
            uint64_t last = 1;

            for (uint64_t at = 1; at <= last; at++) {
                machine(machines[m]);
                held_up_at = at;
                held_up_for = RATE / 1000 * milliseconds[i];
                find();
                assert_true(is_right(128));
                last = looks < 4000 ? looks : 4000;
                if (at > 150 && at + 150 < last) /* readings in the middle of a window are alike */
                    at += 97;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_set_of_clocks_will_do),
        cmocka_unit_test(without_any_the_boot_ends_and_says_what_it_needs),
        cmocka_unit_test(two_right_ones_are_believed_and_a_wrong_one_is_not),
        cmocka_unit_test(two_that_say_different_things_are_refused_with_both),
        cmocka_unit_test(a_rate_that_nothing_has_is_refused),
        cmocka_unit_test(a_machine_that_is_held_up_anywhere_finds_the_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boot/nmi_clock.c and core/event/source_nmi_clock.c: which line they use, what they report without
 * one, and that no signal is lost while the rate is set, however long that takes. The timer here
 * signals as soon as it runs, once until it is served, and the I/O APIC loses signals of a masked
 * line.
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86_64/entry/trap.h"
#include "boot/boot.h"
#include "core/event/source_clock.h"
#include "core/lib/assert.h"
#include "drivers/acpi.h"
#include "drivers/hpet.h"
#include "drivers/ioapic.h"
#include "drivers/pit8254.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/memory/paging.h"
#include "tests/unit/fake_arch.h"

#define LINES   24
#define APIC_ID 7

static struct acpi acpi;
static uint8_t apic, timer, controller; /* registers that no code accesses */
static volatile void *apic_at;
static uint32_t possible_lines;
static unsigned timer_line;   /* the driver's */
static int open_line;         /* the controller's unmasked line; -1: all are masked */
static unsigned nmis, served; /* sent; and those that the clock's user got */
static bool signalled;        /* and not served: the line is up */
static bool pit_stopped, lingering;
static bool by_vector;          /* the button's NMI arrives like that */
static unsigned parked_at_rate; /* depth of parking when the rate was last set */
static unsigned slowed_to;      /* the timer's rate; 0: not slowed down */
static struct nmi_clock kept;

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

volatile void *apic_registers(void)
{
    return apic_at;
}

uint32_t apic_id(void)
{
    return APIC_ID;
}

void apic_set_button(bool vector)
{
    by_vector = vector;
}

volatile void *paging_map_device(uint64_t physical)
{
    return physical == acpi.hpet_address ? &timer : &controller;
}

const struct acpi *cpus_acpi(void)
{
    return &acpi;
}

void pit_stop(void)
{
    pit_stopped = true;
}

void nmi_set_clock(const struct nmi_clock *with)
{
    kept = *with;
}

void nmi_clock_lingers(void)
{
    lingering = true;
}

const char *hpet_init(volatile void *mapped)
{
    assert_ptr_equal(mapped, &timer);
    return NULL;
}

uint32_t hpet_possible_lines(void)
{
    return possible_lines;
}

void hpet_set_line(unsigned line)
{
    timer_line = line;
}

void hpet_set_rate(unsigned hertz)
{
    parked_at_rate = fake_arch.parked;
    signalled = hertz > 0;
    if (signalled && open_line == (int)timer_line)
        nmis++;
}

void hpet_slow_down(unsigned hertz)
{
    slowed_to = hertz;
}

bool hpet_came(void)
{
    bool came = signalled;

    signalled = false;
    return came;
}

unsigned ioapic_lines(volatile void *registers)
{
    assert_ptr_equal(registers, &controller);
    return LINES;
}

void ioapic_send_nmi(volatile void *registers, unsigned line, uint32_t apic_id)
{
    assert_ptr_equal(registers, &controller);
    assert_int_equal(apic_id, APIC_ID);
    open_line = (int)line;
}

void ioapic_mask(volatile void *registers, unsigned line)
{
    (void)registers;
    assert_int_equal(line, open_line);
    open_line = -1;
}

static void serve(const struct regs *regs, uint64_t began)
{
    (void)regs;
    (void)began;
    served++;
}

static int setup(void **state)
{
    fake_arch_reset(state);
    acpi = (struct acpi){.io_apics = {{0xfec00000, 0}},
                         .io_apic_count = 1,
                         .timer_line = 2,
                         .hpet_address = 0xfed00000};
    apic_at = &apic;
    possible_lines = 1u << 2 | 1u << 8 | 1u << 20;
    open_line = -1;
    nmis = served = slowed_to = 0;
    signalled = pit_stopped = lingering = false;
    return 0;
}

static void the_line_is_one_that_no_other_device_has(void **state)
{
    (void)state;
    assert_true(nmi_clock_find());
    assert_null(nmi_clock_problem());
    assert_int_equal(timer_line, 20);
    assert_true(pit_stopped);
}

static void or_the_timers_own(void **state)
{
    (void)state;
    possible_lines = 1u << 2 | 1u << 8;
    assert_true(nmi_clock_find());
    assert_int_equal(timer_line, 2);
}

static void what_is_missing_is_told(void **state)
{
    (void)state;
    possible_lines = 1u << 8;
    assert_false(nmi_clock_find());
    possible_lines = 1u << 20;
    acpi.hpet_address = 0;
    assert_false(nmi_clock_find());
    acpi.hpet_address = 0xfed00000;
    acpi.io_apics[0].first = LINES;
    assert_false(nmi_clock_find());
    acpi.io_apics[0].first = 0;
    acpi.io_apic_count = 0;
    assert_false(nmi_clock_find());
    acpi.io_apic_count = 1;
    apic_at = NULL;
    assert_false(nmi_clock_find());
}

/* A first signal lost to a masked line would also be the last. */
static void a_signal_that_comes_at_once_is_not_lost(void **state)
{
    static struct nmi_clock_user user = {.serve = serve};

    (void)state;
    assert_true(nmi_clock_find());
    nmi_clock_use(&user, 10);
    assert_true(by_vector);
    assert_int_equal(nmis, 1);
    assert_true(kept.came());
    kept.serve(NULL, 0);
    assert_int_equal(served, 1);
    nmi_clock_use(&user, 10000);
    assert_int_equal(nmis, 2);
    nmi_clock_use(&user, 0);
    assert_int_equal(open_line, -1);
    assert_false(by_vector);
    assert_true(lingering);
    kept.serve(NULL, 0);
    assert_int_equal(served, 1);
}

/* The CPU that gets the clock's NMI sets the timer again for the next signal. */
static void no_user_is_served_while_the_rate_is_set(void **state)
{
    static struct nmi_clock_user user = {.serve = serve};

    (void)state;
    assert_true(nmi_clock_find());
    nmi_clock_use(&user, 10);
    assert_int_equal(parked_at_rate, 1);
    nmi_clock_use(&user, 0);
    assert_int_equal(parked_at_rate, 1);
    assert_int_equal(fake_arch.parked, 0);
}

static void the_quickest_user_has_the_rate(void **state)
{
    static struct nmi_clock_user slow = {.serve = serve}, quick = {.serve = serve};

    (void)state;
    assert_true(nmi_clock_find());
    nmi_clock_use(&slow, 10);
    nmi_clock_use(&quick, 100);
    assert_int_equal(nmis, 2);
    nmi_clock_use(&slow, 20);
    assert_int_equal(nmis, 2);
    kept.serve(NULL, 0);
    assert_int_equal(served, 2);
    nmi_clock_use(&quick, 0);
    assert_int_equal(nmis, 3);
    nmi_clock_use(&slow, 0);
    assert_int_equal(open_line, -1);
}

/*
 * The timer runs at the rate of its fastest remaining user. If two CPUs request lower rates, the
 * lowest one is used.
 */
static void the_timer_is_slowed_down_in_its_own_nmi_on_the_boot_cpu(void **state)
{
    static struct nmi_clock_user slow = {.serve = serve}, quick = {.serve = serve};

    (void)state;
    assert_true(nmi_clock_find());
    nmi_clock_use(&slow, 10);
    nmi_clock_use(&quick, 100);
    nmi_clock_slow_down(&quick, 50);
    nmi_clock_slow_down(&quick, 60);
    fake_arch.cpu = 1;
    kept.serve(NULL, 0);
    assert_int_equal(slowed_to, 0);
    fake_arch.cpu = 0;
    kept.serve(NULL, 0);
    assert_int_equal(slowed_to, 50);
    nmi_clock_slow_down(&quick, 5);
    kept.serve(NULL, 0);
    assert_int_equal(slowed_to, 10);
    nmi_clock_use(&quick, 100); /* requested again: as many NMIs again */
    assert_int_equal(nmis, 3);
    nmi_clock_use(&quick, 0);
    nmi_clock_use(&slow, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_line_is_one_that_no_other_device_has, setup),
        cmocka_unit_test_setup(or_the_timers_own, setup),
        cmocka_unit_test_setup(what_is_missing_is_told, setup),
        cmocka_unit_test_setup(a_signal_that_comes_at_once_is_not_lost, setup),
        cmocka_unit_test_setup(no_user_is_served_while_the_rate_is_set, setup),
        cmocka_unit_test_setup(the_quickest_user_has_the_rate, setup),
        cmocka_unit_test_setup(the_timer_is_slowed_down_in_its_own_nmi_on_the_boot_cpu, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text for gdb while the machine runs (core/gdb/text.c): each packet is sent whole, and no other
 * CPU can start one meanwhile, whether the text is printed, written to the console's sink or empty,
 * or the machine ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/gdb/monitor.h"
#include "core/gdb/session.h"
#include "tests/unit/fake_gdb_target.h"

struct gdb_session gdb_session;

/* --- The machine: one CPU, which is never asked to stop. --- */

static bool irqs_off;

unsigned arch_cpu_id(void)
{
    return 0;
}

uint64_t arch_irq_save(void)
{
    bool before = irqs_off;

    irqs_off = true;
    return before;
}

void arch_irq_restore(uint64_t flags)
{
    irqs_off = flags;
}

void arch_relax(void)
{
    fail_msg("the line is always ready");
}

bool arch_stop_is_due(unsigned cpu)
{
    (void)cpu;
    return false;
}

void arch_stop_cpu(unsigned cpu)
{
    fail_msg("no stop of CPU %u is due", cpu);
}

/* --- The console's guard, and the line, which other CPUs use while the guard is free. --- */

static unsigned guard_depth;

static void guard_enter(void)
{
    assert_false(gdb_session.stopped);
    assert_false(irqs_off); /* a CPU that waits for the guard must take interrupts */
    guard_depth++;
}

static void guard_leave(void)
{
    assert_true(guard_depth > 0);
    guard_depth--;
}

static bool line_ready(void)
{
    return true;
}

static void line_put(const char *bytes, size_t length)
{
    assert_true(length == 0 || gdb_session.stopped || (guard_depth > 0 && gdb_is_sending(0)));
    assert_true(gdb_session.stopped || irqs_off);
    fake_gdb_line.put(bytes, length);
}

static const struct gdb_line line = {.put = line_put, .ready = line_ready};

bool gdb_monitor_runs(void)
{
    return true;
}

static const struct gdb_door door = {.name = "COM3"};

static int reset(void **state)
{
    (void)state;
    fake_gdb_reset();
    guard_depth = 0;
    irqs_off = false;
    gdb_session.door = &door;
    gdb_session.stopped = false;
    gdb_session.server.owes_stop = true;
    gdb_link_init(&gdb_session.server.link, &line);
    print_set_guard(guard_enter, guard_leave);
    return 0;
}

static void told(const char *expected)
{
    fake_gdb.told[fake_gdb.told_length] = '\0';
    assert_string_equal(fake_gdb.told, expected);
    assert_int_equal(guard_depth, 0);
    assert_false(irqs_off);
}

static void a_write_to_the_sink_is_guarded_as_a_print_is(void **state)
{
    (void)state;
    gdb_text_console.write(&gdb_text_console, "AB", 2);
    told("$O4142#1a");
}

static void a_print_to_the_console_holds_the_guard_once_more(void **state)
{
    (void)state;
    print_set_console(&gdb_text_console);
    print("%s", "AB");
    told("$O4142#1a");
}

static void a_sign_of_life_is_an_empty_packet(void **state)
{
    (void)state;
    gdb_text_keep_alive();
    told("$O#4f");
}

/* 'p' is 70. 512 times '7' and '0' add 0 to a sum modulo 256. */
static void a_long_text_is_several_packets(void **state)
{
    char text[GDB_TEXT_MAX + 1], expected[2 * GDB_TEXT_MAX + 64] = "$O";

    (void)state;
    memset(text, 'p', sizeof(text));
    assert_int_equal(gdb_text_print(text, sizeof(text)), sizeof(text));
    for (size_t i = 0; i < GDB_TEXT_MAX; i++)
        strcat(expected, "70");
    strcat(expected, "#4f$O70#b6");
    told(expected);
}

static void the_end_waits_until_no_other_cpu_sends(void **state)
{
    (void)state;
    gdb_exited();
    told("$W00#b7");
}

/* A CPU was stopped while it printed, in the middle of a packet, whose rest comes first. */
static void the_end_in_a_stop_does_not_wait_for_a_stopped_cpu(void **state)
{
    (void)state;
    gdb_link_make_text(&gdb_session.server.link, "ABCDEFGHI", 9);
    guard_enter();
    gdb_session.stopped = true;
    assert_true(gdb_link_send_piece(&gdb_session.server.link));
    gdb_exited();
    assert_int_equal(guard_depth, 1);
    guard_leave();
    told("$O414243444546474849#00$W00#b7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_write_to_the_sink_is_guarded_as_a_print_is, reset),
        cmocka_unit_test_setup(a_print_to_the_console_holds_the_guard_once_more, reset),
        cmocka_unit_test_setup(a_sign_of_life_is_an_empty_packet, reset),
        cmocka_unit_test_setup(a_long_text_is_several_packets, reset),
        cmocka_unit_test_setup(the_end_waits_until_no_other_cpu_sends, reset),
        cmocka_unit_test_setup(the_end_in_a_stop_does_not_wait_for_a_stopped_cpu, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

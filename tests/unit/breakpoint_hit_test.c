/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * breakpoint:hit on the host: the old and new bytes of each register's hit, for every length and
 * place in a word, across changes of the table, and with each answer of the CPU about the
 * instruction.
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/breakpoint/breakpoint.h"
#include "core/pitot.h"
#include "tests/unit/fake_arch.h"

#define PLACE 0xffffffff80200000ull

/* As the macros lay it out. */
struct record {
    struct tracepoint_head head;
    uint64_t address;
    uint32_t length;
    char access[TRACEPOINT_TEXT_SIZE];
    uint64_t old, new, insn;
    char how[TRACEPOINT_TEXT_SIZE];
};

static struct record seen[8];
static unsigned seen_count;
static unsigned owners_told;
static unsigned told_before; /* owners that were called before the last record */
static const struct regs *seen_regs;
static struct regs regs;
static uint64_t word; /* the contents of each watched place */

/* Replaces core/tracepoint/tracepoint.c, without which the arbiter can be linked. */
void tracepoint_hit_at(struct arch_gated *gated, struct arch_place *place, const struct regs *all)
{
    struct trace_hit hit = {.tracepoint = &tracepoint_breakpoint_hit,
                            .place = place,
                            .argument = (uint64_t *)place->argument[0],
                            .regs = (const struct regs *)place->argument[1]};
    union tracepoint_room room;

    assert_ptr_equal(gated, &tracepoint_breakpoint_hit);
    assert_null(all);
    assert_true(seen_count < 8);
    tracepoint_need_late(&hit);
    tracepoint_record(&hit, trace_regs(&hit)->flags, &room.raw);
    assert_true(room.raw.size >= sizeof(seen[0]));
    memcpy(&seen[seen_count++], (const char *)&room + sizeof(room.raw.size), sizeof(seen[0]));
    seen_regs = hit.regs;
    told_before = owners_told;
}

static void listen(bool on)
{
    static struct tracepoint_probe probe;

    tracepoint_breakpoint_hit.probes = on ? &probe : NULL;
}

static void owner_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *at)
{
    (void)breakpoint;
    (void)address;
    assert_ptr_equal(at, &regs);
    owners_told++;
}

static int setup(void **state)
{
    fake_arch_reset(state);
    fake_arch.watched = &word;
    word = 0;
    seen_count = owners_told = 0;
    breakpoint_init();
    tracepoint_breakpoint_hit.enter = (void (*)(void))tracepoint_hit_at;
    tracepoint_breakpoint_hit.gate = arch_gate;
    listen(true);
    return 0;
}

static struct breakpoint breakpoints[4];

static void install(unsigned i, uintptr_t address, size_t length, enum arch_access access)
{
    struct refusal why = {""};

    breakpoints[i] = (struct breakpoint){
        .address = address, .length = length, .access = access, .owner = "test", .hit = owner_hit};
    if (breakpoint_install(&breakpoints[i], &why))
        fail_msg("%s", why.text);
}

static void access_word(uintptr_t address, size_t length, enum arch_access access)
{
    fake_arch_access(address, length, access, FAKE_REPORT_ALL, &regs);
}

static void a_hit_tells_of_its_register(void **state)
{
    (void)state;
    install(0, PLACE + 4, 4, ARCH_WRITE);
    fake_arch.accessor = (struct arch_accessor){0x1234, ARCH_FOUND_CALL};
    word = 0x1122334455667788;
    access_word(PLACE + 4, 4, ARCH_WRITE);
    assert_int_equal(seen_count, 1);
    assert_int_equal(seen[0].address, PLACE + 4);
    assert_int_equal(seen[0].length, 4);
    assert_string_equal(seen[0].access, "w");
    assert_int_equal(seen[0].old, 0);
    assert_int_equal(seen[0].new, 0x11223344);
    assert_int_equal(seen[0].insn, 0x1234);
    assert_string_equal(seen[0].how, "call");
    assert_ptr_equal(seen_regs, &regs);
    assert_int_equal(told_before, 1); /* the owner is called first */
    breakpoint_remove(&breakpoints[0]);
}

static void each_way_of_finding_has_its_word(void **state)
{
    static const char *const words[] = {"unknown", "at", "before", "string", "call"};

    (void)state;
    install(0, PLACE, 1, ARCH_READ_WRITE);
    for (unsigned i = 0; i < 5; i++) {
        fake_arch.accessor.found = (enum arch_found)i;
        seen_count = 0;
        access_word(PLACE, 1, ARCH_READ_WRITE);
        assert_string_equal(seen[0].how, words[i]);
        assert_string_equal(seen[0].access, "rw");
    }
    breakpoint_remove(&breakpoints[0]);
}

/* Only the watched bytes of the word, lowest first. */
static void values_are_those_of_the_watched_bytes(void **state)
{
    (void)state;
    for (size_t length = 1; length <= 8; length *= 2)
        for (size_t offset = 0; offset < 8; offset += length) {
            uint64_t mask = length < 8 ? (1ull << 8 * length) - 1 : UINT64_MAX;

            seen_count = 0;
            word = 0x8877665544332211;
            install(0, PLACE + offset, length, ARCH_WRITE);
            word = 0xfedcba9876543210;
            access_word(PLACE + offset, length, ARCH_WRITE);
            assert_int_equal(seen[0].old, 0x8877665544332211 >> 8 * offset & mask);
            assert_int_equal(seen[0].new, 0xfedcba9876543210 >> 8 * offset & mask);
            breakpoint_remove(&breakpoints[0]);
        }
}

static void the_shadow_is_what_the_last_hit_left(void **state)
{
    (void)state;
    install(0, PLACE, 8, ARCH_WRITE);
    for (unsigned i = 1; i <= 5; i++) {
        word = i;
        access_word(PLACE, 8, ARCH_WRITE);
        assert_int_equal(seen[i - 1].old, i - 1);
        assert_int_equal(seen[i - 1].new, i);
    }
    listen(false); /* hits without a listener update it as well */
    word = 6;
    access_word(PLACE, 8, ARCH_WRITE);
    listen(true);
    word = 7;
    access_word(PLACE, 8, ARCH_WRITE);
    assert_int_equal(seen_count, 6);
    assert_int_equal(seen[5].old, 6);
    assert_int_equal(owners_told, 7);
    breakpoint_remove(&breakpoints[0]);
}

/*
 * A value that was written while no breakpoint was armed, for example by the code that changes the
 * table, is not reported as a hit's change: each change of the table reads the values again.
 */
static void a_change_of_the_table_reads_again(void **state)
{
    (void)state;
    word = 1;
    install(0, PLACE, 8, ARCH_WRITE);
    word = 2;
    install(1, PLACE + 8, 8, ARCH_WRITE);
    word = 3;
    access_word(PLACE, 8, ARCH_WRITE);
    assert_int_equal(seen[0].old, 2);
    word = 4;
    breakpoint_remove(&breakpoints[1]);
    word = 5;
    access_word(PLACE, 8, ARCH_WRITE);
    assert_int_equal(seen[1].old, 4);
    breakpoint_remove(&breakpoints[0]);
}

static void every_register_that_hit_tells_once(void **state)
{
    (void)state;
    install(0, PLACE, 8, ARCH_WRITE);
    install(1, PLACE + 2, 2, ARCH_WRITE); /* shares its register */
    install(2, PLACE + 2, 2, ARCH_WRITE);
    install(3, PLACE + 8, 2, ARCH_WRITE);
    word = UINT64_MAX;
    access_word(PLACE, 16, ARCH_WRITE);
    assert_int_equal(seen_count, 2);
    assert_int_equal(owners_told, 4);
    assert_int_equal(seen[0].length, 2);
    assert_int_equal(seen[0].new, 0xffff);
    assert_int_equal(seen[1].length, 8);
    assert_int_equal(seen[1].new, UINT64_MAX);
    for (unsigned i = 0; i < 4; i++)
        breakpoint_remove(&breakpoints[i]);
}

static void without_a_listener_nothing_is_told(void **state)
{
    (void)state;
    listen(false);
    install(0, PLACE, 8, ARCH_WRITE);
    access_word(PLACE, 8, ARCH_WRITE);
    assert_int_equal(seen_count, 0);
    assert_int_equal(owners_told, 1);
    breakpoint_remove(&breakpoints[0]);
}

/* --- Breakpoints of a program: two processes take turns, each with its own word. --- */

static uint64_t words[2];
static unsigned running[2]; /* the process on each CPU */

static const struct pitot_program watched;

static unsigned process(unsigned cpu, unsigned long stack, const struct pitot_program **program)
{
    (void)stack;
    *program = &watched;
    return 1 + running[cpu];
}

static int read_word(unsigned cpu, unsigned long stack, unsigned long address, void *to,
                     unsigned long length)
{
    assert_int_equal(stack, 0);
    assert_int_equal(address % 8, 0);
    memcpy(to, &words[running[cpu]], length);
    return true;
}

static int watchable(const struct pitot_program *program, unsigned pid, unsigned long address,
                     unsigned long length, int execute, const char **why)
{
    (void)program, (void)pid, (void)address, (void)length, (void)execute, (void)why;
    return 0;
}

static void watch_process(void)
{
    struct refusal why = {""};

    host.process = process;
    host.process_read = read_word;
    host.process_watchable = watchable;
    words[0] = 0x1000000010;
    words[1] = 0x2000000020;
    breakpoints[0] = (struct breakpoint){.address = 0x402004,
                                         .length = 4,
                                         .access = ARCH_WRITE,
                                         .target = {.program = &watched},
                                         .owner = "test",
                                         .hit = owner_hit};
    assert_int_equal(breakpoint_install(&breakpoints[0], &why), 0);
}

static void each_process_has_its_own_bytes(void **state)
{
    (void)state;
    running[0] = 0;
    watch_process();
    for (unsigned i = 0; i < 6; i++) {
        running[0] = i % 2;
        pitot_program_runs();
        words[i % 2] += 1ull << 32;
        access_word(0x402004, 4, ARCH_WRITE);
        assert_int_equal(seen[i].old, 0x10 * (i % 2 + 1) + i / 2);
        assert_int_equal(seen[i].new, seen[i].old + 1);
    }
    words[1] += 5ull << 32; /* written by the kernel, and read at the switch */
    pitot_program_runs();
    access_word(0x402004, 4, ARCH_WRITE);
    assert_int_equal(seen[6].old, 0x28);
    breakpoint_remove(&breakpoints[0]);
}

/* CPU 0 arms the register for a process that already runs on CPU 1, which makes no switch. */
static void a_register_is_armed_with_the_bytes_of_the_process_on_each_cpu(void **state)
{
    (void)state;
    fake_arch.cpus = 2;
    running[0] = 0;
    running[1] = 1;
    watch_process();
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        fake_arch.cpu = cpu;
        words[cpu] += 1ull << 32;
        access_word(0x402004, 4, ARCH_WRITE);
        assert_int_equal(seen[cpu].old, 0x10 * (cpu + 1));
    }
    breakpoint_remove(&breakpoints[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_hit_tells_of_its_register, setup),
        cmocka_unit_test_setup(each_way_of_finding_has_its_word, setup),
        cmocka_unit_test_setup(values_are_those_of_the_watched_bytes, setup),
        cmocka_unit_test_setup(the_shadow_is_what_the_last_hit_left, setup),
        cmocka_unit_test_setup(a_change_of_the_table_reads_again, setup),
        cmocka_unit_test_setup(every_register_that_hit_tells_once, setup),
        cmocka_unit_test_setup(each_process_has_its_own_bytes, setup),
        cmocka_unit_test_setup(a_register_is_armed_with_the_bytes_of_the_process_on_each_cpu,
                               setup),
        cmocka_unit_test_setup(without_a_listener_nothing_is_told, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints of programs: the CPUs on which they are armed after each switch, the memory that
 * their hits show, the registers that they share, and refusals. Two programs run as three processes
 * on two CPUs.
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/breakpoint/breakpoint.h"
#include "core/host.h"
#include "tests/unit/fake_arch.h"

#define KERNEL_PLACE 0xffffffff80200000
#define PLACE        0x402000
#define FAR          0x403000 /* contains only zeros */
#define PROCESSES    4        /* by pid; 0: a kernel thread */

static const struct pitot_program editor, shell;
static const struct pitot_program *const programs[PROCESSES] = {NULL, &editor, &editor, &shell};
static uint32_t running[2];        /* on each CPU: a pid */
static uint64_t memory[PROCESSES]; /* the word at PLACE, in each process */
static const char *unmapped;       /* why every place is refused; NULL: none is */
static struct breakpoint breakpoints[6];
static unsigned hits[6];
static struct refusal why;

static unsigned process(unsigned cpu, unsigned long stack, const struct pitot_program **program)
{
    assert_int_equal(stack, 0);
    *program = programs[running[cpu]];
    return running[cpu];
}

static int read_memory(unsigned cpu, unsigned long stack, unsigned long address, void *to,
                       unsigned long length)
{
    assert_int_equal(stack, 0);
    assert_true(address == PLACE || address == FAR);
    assert_int_equal(length, sizeof(memory[0]));
    memset(to, 0, length);
    if (address == PLACE)
        memcpy(to, &memory[running[cpu]], length);
    return running[cpu] != 0;
}

static int watchable(const struct pitot_program *program, unsigned pid, unsigned long address,
                     unsigned long length, int execute, const char **reason)
{
    (void)program, (void)pid, (void)address, (void)length, (void)execute;
    *reason = unmapped;
    return unmapped ? -EFAULT : 0;
}

static void count_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    (void)address;
    (void)regs;
    hits[breakpoint - breakpoints]++;
}

static int install(unsigned i, uintptr_t address, struct breakpoint_target target)
{
    breakpoints[i] = (struct breakpoint){
        .address = address, .length = 8, .access = ARCH_WRITE, .target = target, .hit = count_hit};
    print_into(breakpoints[i].owner, sizeof(breakpoints[i].owner), "owner %u", i);
    return breakpoint_install(&breakpoints[i], &why);
}

static const struct breakpoint_target nobody, of_editor = {.program = &editor},
                                              of_shell = {.program = &shell}, of_2 = {.pid = 2};

static int setup(void **state)
{
    fake_arch_reset(state);
    fake_arch.cpus = 2;
    fake_arch.lowest_only = true; /* write_there reports like that */
    memset(running, 0, sizeof(running));
    memset(memory, 0, sizeof(memory));
    memset(hits, 0, sizeof(hits));
    unmapped = NULL;
    breakpoint_init();
    host.process = process;
    host.process_read = read_memory;
    host.process_watchable = watchable;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        if (breakpoints[i].slots)
            breakpoint_remove(&breakpoints[i]);
    memset(breakpoints, 0, sizeof(breakpoints));
    assert_int_equal(breakpoint_used(), 0);
    return 0;
}

static void switch_to(unsigned cpu, uint32_t pid)
{
    running[cpu] = pid;
    fake_arch.cpu = cpu;
    pitot_program_runs();
}

/* An access by the process that runs there; a register that is disabled on that CPU cannot hit. */
static void write_there(unsigned cpu, uintptr_t address)
{
    unsigned fired = 0;

    fake_arch.cpu = cpu;
    for (unsigned i = 0; i < fake_arch.watch_count; i++)
        if (fake_arch.watches[i].address == address && !(fake_arch.deselected[cpu] & (1u << i)))
            fired |= 1u << i;
    fake_arch.armed = false;
    if (fired)
        fake_arch.handler(fired & -fired, NULL); /* like QEMU: only the lowest */
    fake_arch.armed = true;
}

static void a_program_is_watched_wherever_it_runs_and_no_other_one(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, of_editor), 0);
    assert_int_equal(install(1, PLACE, of_2), 0);
    assert_int_equal(install(2, KERNEL_PLACE, nobody), 0);
    for (unsigned cpu = 0; cpu < 2; cpu++)
        for (uint32_t pid = 0; pid < PROCESSES; pid++) {
            memset(hits, 0, sizeof(hits));
            switch_to(cpu, pid);
            write_there(cpu, PLACE);
            write_there(cpu, KERNEL_PLACE);
            assert_int_equal(hits[0], pid == 1 || pid == 2);
            assert_int_equal(hits[1], pid == 2);
            assert_int_equal(hits[2], 1);
        }
}

/* An instruction may access two places, and the machine reports one register. */
static void a_hit_that_no_instruction_explains_is_perhaps_one_of_every_watch(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, of_editor), 0);
    assert_int_equal(install(1, FAR, of_editor), 0);
    assert_int_equal(install(2, FAR, of_shell), 0);
    switch_to(0, 1);
    write_there(0, PLACE);
    assert_int_equal(hits[0], 1);
    assert_int_equal(breakpoints[0].doubtful, 0);
    assert_int_equal(hits[1], 0);
    assert_int_equal(breakpoints[1].doubtful, 1);
    assert_int_equal(breakpoints[2].doubtful, 0); /* its process is not running */
}

/*
 * A breakpoint that is set while its process runs is armed at once, and one that is removed is
 * disarmed at once.
 */
static void a_change_of_the_table_is_for_the_program_that_runs_then(void **state)
{
    (void)state;
    switch_to(0, 3);
    switch_to(1, 1);
    assert_int_equal(install(0, PLACE, of_editor), 0);
    assert_int_equal(install(1, PLACE, of_shell), 0);
    write_there(0, PLACE);
    assert_int_equal(hits[0] + 2 * hits[1], 2);
    write_there(1, PLACE);
    assert_int_equal(hits[0] + 2 * hits[1], 3);
    breakpoint_remove(&breakpoints[0]);
    breakpoints[0].slots = 0;
    write_there(1, PLACE);
    write_there(0, PLACE);
    assert_int_equal(hits[0] + 2 * hits[1], 5);
}

static void equal_places_of_others_do_not_share_a_register(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, of_editor), 0);
    assert_int_equal(install(1, PLACE, of_editor), 0);
    assert_int_equal(breakpoint_used(), 1);
    assert_int_equal(install(2, PLACE, of_shell), 0);
    assert_int_equal(install(3, PLACE, of_2), 0);
    assert_int_equal(breakpoint_used(), 3);
    assert_int_equal(install(4, KERNEL_PLACE, nobody), 0);
    assert_int_equal(install(5, KERNEL_PLACE + 8, nobody), -ENOSPC);
    assert_non_null(strstr(why.text, "1 debug register needed, 0 of 4 free; held by owner "));
    assert_non_null(strstr(why.text, "owner 4"));
}

static void what_is_no_place_of_a_program_is_refused(void **state)
{
    (void)state;
    assert_int_equal(install(0, KERNEL_PLACE, of_editor), -EINVAL);
    assert_non_null(strstr(why.text, "is not an address of a program"));
    unmapped = "in no segment";
    assert_int_equal(install(0, PLACE, of_editor), -EFAULT);
    assert_string_equal(why.text, "in no segment");
    unmapped = NULL;
    host.process_watchable = NULL;
    assert_int_equal(install(0, PLACE, of_editor), -EINVAL);
    assert_non_null(strstr(why.text, "process_watchable of struct pitot_kernel is 0"));
    assert_int_equal(breakpoint_used(), 0);
    host.process_watchable = watchable;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_is_watched_wherever_it_runs_and_no_other_one,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_hit_that_no_instruction_explains_is_perhaps_one_of_every_watch, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_of_the_table_is_for_the_program_that_runs_then,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(equal_places_of_others_do_not_share_a_register, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_no_place_of_a_program_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

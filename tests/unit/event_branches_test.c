/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window of branches: when it opens and closes, which steps belong to it, and which become
 * hits. The test steps a fake CPU; tests/unit/branch_test.c tests what counts as a branch.
 *
 * links: core/unwind/default_fp.c tests/unit/fake_arch.c tests/unit/fake_task.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/hw_breakpoint.h>

#include "core/breakpoint/breakpoint.h"
#include "core/event/event.h"
#include "core/event/source.h"
#include "core/event/source_branches.h"
#include "core/event/source_clock.h"
#include "core/sample/sample.h"
#include "core/symbols/symbols.h"
#include "tests/unit/fake_arch.h"

#define TEXT      0xffffffff80100000ull
#define RING_SIZE (1 << 14)

static struct ring ring;
static struct event branches, opener;
static struct event_cpu branches_cpus[ARCH_CPUS_MAX], opener_cpus[ARCH_CPUS_MAX];
static bool enabled, opens;
static const struct arch_stack *mine, *other;
static struct regs regs;
static struct refusal why;

static void disable_all(void)
{
    if (opens)
        event_disable(&opener);
    if (enabled)
        event_disable(&branches);
    enabled = opens = false;
}

static int setup(void **state)
{
    static uint64_t memory[RING_SIZE / 8];

    disable_all();
    fake_arch_reset(state);
    breakpoint_init();
    fake_arch.text_start = TEXT;
    fake_arch.executable = (struct fake_range){.start = TEXT, .end = TEXT + 4096};
    mine = fake_stack_add("mine", 64);
    other = fake_stack_add("other", 64);
    regs = (struct regs){
        .cs = KERNEL_CODE_SELECTOR, .ip = TEXT, .sp = mine->low + 8, .flags = FLAGS_FIXED};
    assert_int_equal(ring_init(&ring, memory, RING_SIZE, RING_NORMAL, false, NULL), 0);
    return 0;
}

static void enable(uint64_t instructions, bool started)
{
    struct event_spec spec = {.source = &branches_source,
                              .attr = {.type = PERF_TYPE_HARDWARE,
                                       .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
                                       .sample_type = SAMPLE_ALWAYS,
                                       .sample_period = 1},
                              .name = "branches",
                              .window = {.instructions = instructions, .started = started}};

    event_init(&branches, &spec, branches_cpus);
    assert_int_equal(event_enable(&branches, &why), 0);
    enabled = true;
}

static void begin(void)
{
    event_begin(&branches, &ring);
}

/* A watch of data, or of code, at TEXT + 32. */
static void enable_opener(uint32_t type)
{
    struct event_spec spec = {.source = &breakpoint_source,
                              .attr = {.type = PERF_TYPE_BREAKPOINT,
                                       .bp_addr = TEXT + 32,
                                       .bp_len = 8,
                                       .bp_type = type,
                                       .sample_type = SAMPLE_ALWAYS,
                                       .sample_period = 1},
                              .name = "mem:opener",
                              .start = true};

    event_init(&opener, &spec, opener_cpus);
    assert_int_equal(event_enable(&opener, &why), 0);
    event_begin(&opener, &ring);
    opens = true;
}

static void open_by_hit(void)
{
    fake_arch_access(TEXT + 32, 8, ARCH_WRITE, FAKE_REPORT_ALL, &regs);
}

/* The stepped context has run an instruction, and the one at TEXT + to is next. */
static bool step_to(unsigned to)
{
    regs.ip = TEXT + to;
    fake_arch.stepped(&regs);
    return regs.flags & FLAGS_TRAP;
}

static bool step_elsewhere(void)
{
    struct regs theirs = {.ip = TEXT, .sp = other->high, .flags = FLAGS_FIXED | FLAGS_TRAP};

    fake_arch.stepped(&theirs);
    return theirs.flags & FLAGS_TRAP;
}

/* The samples so far: "3>9 " for a branch from TEXT + 3 to TEXT + 9, "!" for the opener's. */
static const char *recorded(void)
{
    static char text[512];
    struct ring_reader reader;
    uint64_t record[64]; /* header, id, ip, ids, time, addr, cpu */
    size_t length = 0;

    text[0] = '\0';
    ring_reader_start(&reader, &ring);
    while (ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD) {
        bool branch = record[1] == branches.recorded.id;

        assert_int_equal((record[0] >> 48), 7 * sizeof(uint64_t));
        length += print_into(text + length, sizeof(text) - length, branch ? "%lu>%lu " : "! ",
                             (unsigned long)(record[2] - TEXT), (unsigned long)(record[5] - TEXT));
    }
    return text;
}

/* The window opens at the workload or at a hit, not both, in either order. */
static void the_workload_and_a_hit_are_not_both_where_it_begins(void **state)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const struct arch_stack before = *mine;

    (void)state;
    enable(0, true);
    begin();
    fake_arch.stacks[0] = (struct arch_stack){
        .guard = frame - 65536, .low = frame - 65536 + 8, .high = frame + 65536};
    branches_workload_begin();
    fake_arch.stacks[0] = before;
    assert_int_equal(fake_arch.steps_begun, 0);
    disable_all();
    enable(0, false);
    enable_opener(HW_BREAKPOINT_W);
    begin();
    open_by_hit();
    assert_false(regs.flags & FLAGS_TRAP);
}

static void branches_of_the_workloads_thread_are_hits(void **state)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const struct arch_stack here = {
        .guard = frame - 65536, .low = frame - 65536 + 8, .high = frame + 65536};
    const struct arch_stack before = *mine;

    (void)state;
    enable(0, false);
    fake_arch.branches = 1u << 2 | 1u << 5;
    branches_workload_begin(); /* too early */
    assert_int_equal(fake_arch.steps_begun, 0);
    begin();
    fake_arch.stacks[0] = here; /* the thread's stack, as the kernel sees it */
    regs.sp = frame;
    branches_workload_begin();
    assert_int_equal(fake_arch.steps_begun, 1);
    assert_true(step_to(2)); /* its origin is not known */
    assert_true(step_to(40));
    assert_true(step_to(5));
    assert_true(step_to(5)); /* to itself */
    assert_true(step_to(6));
    assert_string_equal(recorded(), "2>40 5>5 5>6 ");
    event_sum(&branches);
    assert_int_equal(branches.recorded.count, 3);
    assert_int_equal(branches_counts().steps, 5);
    branches_workload_end();
    fake_arch.stacks[0] = before;
    assert_false(step_to(7));
    assert_int_equal(branches_counts().steps, 5);
}

static void a_hit_opens_the_window_for_so_many_instructions(void **state)
{
    (void)state;
    enable(3, true);
    enable_opener(HW_BREAKPOINT_W);
    fake_arch.branches = ~0ull;
    open_by_hit();
    assert_false(regs.flags & FLAGS_TRAP); /* it has not begun */
    begin();
    branches_workload_begin();
    assert_int_equal(fake_arch.steps_begun, 0);
    for (unsigned round = 0; round < 2; round++) {
        regs.ip = TEXT + 1;
        open_by_hit();
        assert_true(regs.flags & FLAGS_TRAP);
        assert_true(step_to(2));
        assert_true(step_to(3));
        assert_false(step_to(4));
        assert_false(step_to(5));
    }
    assert_string_equal(recorded(), "! ! 1>2 2>3 3>4 ! 1>2 2>3 3>4 ");
    assert_int_equal(branches_counts().windows, 2);
    assert_int_equal(branches_counts().steps, 6);
}

static void a_hit_in_an_open_window_counts_it_anew(void **state)
{
    (void)state;
    enable(3, true);
    enable_opener(HW_BREAKPOINT_W);
    begin();
    open_by_hit();
    assert_true(step_to(1));
    assert_true(step_to(2));
    open_by_hit();
    assert_true(step_to(3));
    assert_true(step_to(4));
    assert_false(step_to(5));
    assert_int_equal(branches_counts().windows, 1);
}

static void another_threads_steps_end_and_leave_no_branch(void **state)
{
    (void)state;
    enable(0, true);
    enable_opener(HW_BREAKPOINT_W);
    begin();
    fake_arch.branches = ~0ull;
    open_by_hit();
    assert_true(step_to(1));
    assert_false(step_elsewhere());
    assert_true(step_to(9)); /* returns here: from where is not known */
    assert_true(step_to(10));
    assert_string_equal(recorded(), "! 0>1 9>10 ");
    regs.sp = mine->low; /* in the guard, not in the stack */
    assert_false(step_to(11));
}

/*
 * Interrupts return to a thread that was being stepped: it is stepped on only if its window is
 * open.
 */
static void what_is_resumed_is_stepped_as_long_as_its_window_is_open(void **state)
{
    (void)state;
    enable(0, true);
    enable_opener(HW_BREAKPOINT_W);
    begin();
    fake_arch.branches = ~0ull;
    open_by_hit();
    assert_true(step_to(1));
    assert_false(step_elsewhere());
    fake_arch.resumed(&regs);
    assert_true(regs.flags & FLAGS_TRAP);
    assert_string_equal(recorded(), "! 0>1 ");
    disable_all();
    fake_arch.resumed(&regs);
    assert_false(regs.flags & FLAGS_TRAP);
}

static void a_frozen_recording_is_the_end_of_steps(void **state)
{
    (void)state;
    enable(0, true);
    enable_opener(HW_BREAKPOINT_W);
    begin();
    open_by_hit();
    assert_true(step_to(1));
    branches.rings = NULL;
    assert_false(step_to(2));
    open_by_hit();
    assert_false(regs.flags & FLAGS_TRAP);
}

static void counting_alone_needs_no_ring(void **state)
{
    (void)state;
    enable(0, true);
    enable_opener(HW_BREAKPOINT_W);
    event_begin(&branches, NULL);
    fake_arch.branches = ~0ull;
    open_by_hit();
    assert_true(step_to(1));
    assert_true(step_to(2));
    event_sum(&branches);
    assert_int_equal(branches.recorded.count, 2);
}

/* A window closes where its thread returns to a program, and does not open there. */
static void no_thread_is_stepped_into_a_program(void **state)
{
    (void)state;
    enable(0, true);
    enable_opener(HW_BREAKPOINT_W);
    begin();
    fake_arch.step_leaves = TEXT + 3;
    for (unsigned round = 1; round <= 2; round++) {
        regs.ip = TEXT + 1;
        open_by_hit();
        assert_true(step_to(2));
        assert_false(step_to(3));
        assert_int_equal(branches_counts().windows, round);
    }
    open_by_hit();
    assert_false(regs.flags & FLAGS_TRAP);
    assert_int_equal(branches_counts().windows, 2);
}

static void there_is_one_at_a_time_and_no_other_hardware_event(void **state)
{
    struct event second = branches;

    (void)state;
    enable(0, true);
    second = branches;
    assert_int_equal(event_enable(&second, &why), -EBUSY);
    second.recorded.attr.config = PERF_COUNT_HW_CPU_CYCLES;
    assert_int_equal(event_enable(&second, &why), -EINVAL);
    assert_string_equal(why.text, "branches: the only hardware event is branches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(branches_of_the_workloads_thread_are_hits, setup),
        cmocka_unit_test_setup(the_workload_and_a_hit_are_not_both_where_it_begins, setup),
        cmocka_unit_test_setup(a_hit_opens_the_window_for_so_many_instructions, setup),
        cmocka_unit_test_setup(a_hit_in_an_open_window_counts_it_anew, setup),
        cmocka_unit_test_setup(another_threads_steps_end_and_leave_no_branch, setup),
        cmocka_unit_test_setup(what_is_resumed_is_stepped_as_long_as_its_window_is_open, setup),
        cmocka_unit_test_setup(a_frozen_recording_is_the_end_of_steps, setup),
        cmocka_unit_test_setup(counting_alone_needs_no_ring, setup),
        cmocka_unit_test_setup(no_thread_is_stepped_into_a_program, setup),
        cmocka_unit_test_setup(there_is_one_at_a_time_and_no_other_hardware_event, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

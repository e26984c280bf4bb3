/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `--verify-chain`: chains on which both unwinders agree, those on which they differ and from which
 * frame, and the counts. As in a kernel of UNWINDER=fp.
 *
 * links: core/unwind/default_fp.c tools/orcgen/table.c tests/unit/fake_arch.c tests/unit/unwind_machine.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/unwind/unwind.h"
#include "tests/unit/step.h"
#include "tests/unit/unwind_machine.h"

static int setup(void **state)
{
    verify_chain_reset();
    return machine_setup(state);
}

static void verify(const struct machine *machine)
{
    struct regs regs = machine_regs(machine);

    verify_chain(&regs);
}

static void assert_counts(uint64_t chains, uint64_t differ)
{
    struct verify_counts counts = verify_chain_counts();

    assert_int_equal(counts.chains, chains);
    assert_int_equal(counts.differ, differ);
}

static void assert_first(uintptr_t ip, unsigned frame, uintptr_t by_table, uintptr_t by_pointers)
{
    struct verify_difference first = verify_chain_counts().first;

    assert_int_equal(first.ip, ip);
    assert_int_equal(first.frame, frame);
    assert_int_equal(first.by[UNWIND_BY_TABLE], by_table);
    assert_int_equal(first.by[UNWIND_BY_FRAME_POINTER], by_pointers);
}

static void assert_first_ends(enum unwind_end by_table, enum unwind_end by_pointers)
{
    struct verify_difference first = verify_chain_counts().first;

    assert_int_equal(first.end[UNWIND_BY_TABLE], by_table);
    assert_int_equal(first.end[UNWIND_BY_FRAME_POINTER], by_pointers);
}

/* rbp is still the caller's, so frame pointers leave that caller out, and no symbol shows it. */
static struct machine without_frame(void)
{
    struct machine machine = machine_three_calls_deep();

    machine_call_at(&machine, DIRECT(5, 0), 5, 0);
    return machine;
}

static void both_ways_agree_on_code_that_keeps_frame_pointers(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    verify(&machine);
    machine_call(&machine, 5);
    verify(&machine);
    machine_push(&machine, machine.fp);
    machine.ip += 1;
    verify(&machine);
    machine = machine_three_calls_deep();
    machine_trap(&machine, true, function_start(6));
    verify(&machine);
    machine_prologue(&machine, 2);
    machine_trap(&machine, false, function_start(7));
    verify(&machine);
    assert_counts(5, 0);
}

static void chains_that_end_early_at_one_place_for_one_reason_agree(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR, .ip = machine.ip, .sp = machine.sp};

    (void)state;
    verify_chain(&regs); /* no frame pointer is known */
    regs.bp = machine_stacks[0]->high;
    verify_chain(&regs); /* it points out of the stack */
    assert_counts(2, 0);
}

static void the_first_frame_that_differs_is_noted(void **state)
{
    struct machine machine = without_frame();
    uintptr_t table = machine.callers[machine.depth - 1];
    uintptr_t pointers = machine.callers[machine.depth - 2];

    (void)state;
    verify(&machine);
    assert_counts(1, 1);
    assert_first(machine.ip, 1, table, pointers);
    assert_first_ends(UNWIND_RUNNING, UNWIND_RUNNING);
    verify_chain_reset();
    machine_call(&machine, 5);
    machine_prologue(&machine, 1);
    verify(&machine);
    assert_counts(1, 1);
    assert_first(machine.ip, 2, table, pointers);
}

static void a_chain_that_ends_before_the_other_is_noted_with_its_reason(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t interrupted = machine.ip;
    struct regs regs;

    (void)state;
    machine_trap_half(&machine, true, ENTRY, 5);
    verify(&machine);
    assert_counts(1, 1);
    assert_first(machine.ip, 1, interrupted, 0);
    assert_first_ends(UNWIND_RUNNING, UNWIND_IN_ENTRY);

    verify_chain_reset();
    machine = machine_three_calls_deep();
    regs = machine_regs(&machine);
    regs.ip = machine_at(RULELESS);
    verify_chain(&regs);
    assert_counts(1, 1);
    assert_first(regs.ip, 1, 0, machine.callers[machine.depth - 1]);
    assert_first_ends(UNWIND_NO_RULE, UNWIND_RUNNING);
}

static void chains_that_end_for_different_reasons_differ(void **state)
{
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR,
                        .ip = machine_at(RULELESS),
                        .sp = machine_stacks[0]->low,
                        .flags = FLAGS_FIXED};

    (void)state;
    verify_chain(&regs);
    assert_counts(1, 1);
    assert_first(regs.ip, 1, 0, 0);
    assert_first_ends(UNWIND_NO_RULE, UNWIND_OUTERMOST);
}

static void the_first_difference_is_kept_until_the_counts_are_reset(void **state)
{
    struct machine first = without_frame(), second = first, agreeing = machine_three_calls_deep();

    (void)state;
    verify(&agreeing);
    verify(&first);
    second.ip += 1;
    verify(&second);
    verify(&agreeing);
    assert_counts(4, 2);
    assert_int_equal(verify_chain_counts().first.ip, first.ip);
    verify_chain_reset();
    assert_counts(0, 0);
    assert_first(0, 0, 0, 0);
    verify(&second);
    assert_int_equal(verify_chain_counts().first.ip, second.ip);
}

static void every_cpu_counts_for_itself_and_all_are_added(void **state)
{
    struct machine differing = without_frame(), agreeing = machine_three_calls_deep();

    (void)state;
    verify(&agreeing);
    fake_arch.cpu = 2;
    verify(&differing);
    fake_arch.cpu = ARCH_CPUS_MAX - 1;
    verify(&agreeing);
    differing.ip += 1;
    verify(&differing);
    assert_counts(4, 2);
    assert_int_equal(verify_chain_counts().first.ip, differing.ip - 1);
}

static struct machine inner;

/* Such as an NMI in the middle of another chain. */
static void verify_inner(void)
{
    fake_arch.on_stack_find = NULL;
    verify(&inner);
}

static void a_chain_taken_inside_another_is_counted_as_well(void **state)
{
    struct machine outer = without_frame();

    (void)state;
    inner = outer;
    inner.ip += 1;
    fake_arch.on_stack_find = verify_inner;
    verify(&outer);
    assert_counts(2, 2);
    assert_int_equal(verify_chain_counts().first.ip, inner.ip);
}

static struct regs outer_regs, inner_regs;

static void verify_outer_stepped(void)
{
    step_on();
    verify_chain(&outer_regs);
    step_off();
}

static void verify_inner_regs(void)
{
    verify_chain(&inner_regs);
}

static const char *counts_verdict(void)
{
    struct verify_counts counts = verify_chain_counts();

    if (counts.chains != 2 || counts.differ != 2)
        return "a chain is not counted";
    if (counts.first.ip != outer_regs.ip && counts.first.ip != inner_regs.ip)
        return "two chains differ, and neither is noted as the first";
    return NULL;
}

static void chains_taken_at_any_instruction_of_another_are_counted_and_one_is_noted(void **state)
{
    const struct step_plan plan = {.victim = verify_outer_stepped,
                                   .intrude = verify_inner_regs,
                                   .verdict = counts_verdict,
                                   .stride = 1};
    struct machine machine = machine_start();
    struct step_result result;

    (void)state;
    machine_call_at(&machine, DIRECT(5, 0), 5, 0);
    outer_regs = inner_regs = machine_regs(&machine);
    inner_regs.ip += 1;
    result = step_through(&plan);
    assert_true(result.boundaries > 100);
    assert_int_equal(result.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(both_ways_agree_on_code_that_keeps_frame_pointers, setup),
        cmocka_unit_test_setup(chains_that_end_early_at_one_place_for_one_reason_agree, setup),
        cmocka_unit_test_setup(the_first_frame_that_differs_is_noted, setup),
        cmocka_unit_test_setup(a_chain_that_ends_before_the_other_is_noted_with_its_reason, setup),
        cmocka_unit_test_setup(chains_that_end_for_different_reasons_differ, setup),
        cmocka_unit_test_setup(the_first_difference_is_kept_until_the_counts_are_reset, setup),
        cmocka_unit_test_setup(every_cpu_counts_for_itself_and_all_are_added, setup),
        cmocka_unit_test_setup(a_chain_taken_inside_another_is_counted_as_well, setup),
        cmocka_unit_test_setup(
            chains_taken_at_any_instruction_of_another_are_counted_and_one_is_noted, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

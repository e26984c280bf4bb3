/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains that begin at a caller: registers rewound by so many frames, chains with frames skipped,
 * and snapshots taken by the macros of arch/snapshot.h. A kernel of UNWINDER=orc.
 *
 * links: core/unwind/default_orc.c tools/orcgen/table.c tests/unit/fake_arch.c tests/unit/unwind_machine.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/snapshot.h"
#include "core/unwind/unwind.h"
#include "tests/unit/unwind_machine.h"

/*
 * Rewound by any number of frames, the registers give the rest of the chain; beyond its end,
 * nothing.
 */
static void assert_rewound(const struct regs *regs)
{
    struct walk whole = walk_from(regs);
    struct regs rewound;

    for (unsigned callers = 0; callers < whole.count; callers++) {
        struct walk rest;

        rewound = *regs;
        assert_true(unwind_rewind(unwind_default(), &rewound, callers));
        rest = walk_from(&rewound);
        assert_int_equal(rest.end, whole.end);
        assert_int_equal(rest.count, whole.count - callers);
        assert_memory_equal(rest.ip, whole.ip + callers, rest.count * sizeof(*rest.ip));
        assert_int_equal(rest.kind[0] == UNWIND_CALL, whole.kind[callers] == UNWIND_CALL);
    }
    for (unsigned callers = (unsigned)whole.count; callers < whole.count + 3; callers++) {
        rewound = *regs;
        assert_false(unwind_rewind(unwind_default(), &rewound, callers));
        assert_memory_equal(&rewound, regs, sizeof(rewound));
    }
}

/* From a trap frame, and from a snapshot at the same place. */
static void assert_rewound_from(const struct machine *machine)
{
    struct regs regs = machine_regs(machine);

    assert_rewound(&regs);
    regs.flags = FLAGS_INTERRUPT;
    assert_rewound(&regs);
}

static void a_chain_of_calls_begins_at_any_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    assert_rewound_from(&machine);
    machine_call_at(&machine, DIRECT(6, 3), 6, 3);
    machine_call_realigned(&machine, 1);
    machine.ip += 1;
    machine_call_at(&machine, LISTED(99), LISTED_WORDS(99), LISTED_SAVED(99));
    assert_rewound_from(&machine);
}

static void a_chain_over_trap_frames_begins_at_any_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_trap(&machine, false, function_start(5));
    machine_prologue(&machine, 3);
    machine_trap(&machine, true, function_start(6));
    machine_prologue(&machine, 1);
    machine_trap_half(&machine, true, ENTRY, 5);
    assert_rewound_from(&machine);
    machine_trap(&machine, true, function_start(7));
    assert_rewound_from(&machine);
}

static void a_call_at_a_functions_very_end_still_belongs_to_it(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    machine_call_at(&machine, NORETURN, 3, 0);
    machine.ip = machine_at(NORETURN_END);
    machine_call(&machine, LEAF);
    assert_rewound_from(&machine);
    regs = machine_regs(&machine);
    assert_true(unwind_rewind(unwind_default(), &regs, 1));
    assert_int_equal(regs.ip, machine_at(NORETURN_END));
    assert_true(regs_are_rewound(&regs));
    assert_int_equal(walk_from(&regs).kind[0], UNWIND_CALL);
}

static void an_interrupted_place_comes_back_with_all_its_registers(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t ip = machine.ip, sp = machine.sp, fp = machine.fp;
    struct regs regs, *saved;

    (void)state;
    machine_trap(&machine, true, function_start(7));
    saved = (struct regs *)(machine_stacks[1]->high - sizeof(*saved));
    saved->r13 = 0x1313;
    regs = machine_regs(&machine);
    assert_true(unwind_rewind(unwind_default(), &regs, 2));
    assert_memory_equal(&regs, saved, sizeof(regs));
    assert_int_equal(regs.ip, ip);
    assert_int_equal(regs.sp, sp);
    assert_int_equal(regs.bp, fp);
    assert_true(regs_are_full(&regs));
    assert_int_equal(walk_from(&regs).kind[0], UNWIND_TRAP);
}

static void a_rewound_frame_does_not_claim_registers_that_it_lacks(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    machine_call_at(&machine, REALIGNED_ENTRY, 5, 0);
    machine_call(&machine, LEAF);
    regs = machine_regs(&machine);
    regs.r10 = machine.sp;
    assert_true(unwind_rewind(unwind_default(), &regs, 1));
    assert_false(regs_are_full(&regs));
    assert_walk(&regs, 1, UNWIND_NO_REGISTER);

    machine = machine_three_calls_deep();
    machine_call_at(&machine, REALIGNED_ENTRY, 5, 0);
    machine_trap_half(&machine, true, ENTRY, 5);
    regs = machine_regs(&machine);
    regs.vector = REGS_REWOUND; /* has no meaning in a trap frame */
    assert_true(unwind_rewind(unwind_default(), &regs, 1));
    assert_false(regs_are_full(&regs));
    assert_false(regs_are_rewound(&regs));
    assert_walk(&regs, 1, UNWIND_NO_REGISTER);
}

static struct regs partial_of(const struct machine *machine)
{
    return (struct regs){.cs = KERNEL_CODE_SELECTOR, .ip = machine->ip, .sp = machine->sp};
}

static void a_rewound_partial_snapshot_knows_a_frame_pointer_that_was_saved(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t fp = machine.fp;
    struct regs regs;

    (void)state;
    machine_call_at(&machine, DIRECT(5, 4), 5, 4);
    regs = partial_of(&machine);
    assert_rewound(&regs);
    assert_true(unwind_rewind(unwind_default(), &regs, 1));
    assert_int_equal(regs.bp, fp);
    assert_false(regs_are_partial(&regs));
}

static void a_rewound_partial_snapshot_stays_partial_without_one(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    machine_call_at(&machine, DIRECT(5, 0), 5, 0);
    regs = partial_of(&machine);
    assert_rewound(&regs);
    assert_true(unwind_rewind(unwind_default(), &regs, 1));
    assert_true(regs_are_partial(&regs));
    assert_true(regs_are_rewound(&regs));
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
}

static void rewinding_twice_is_rewinding_by_the_sum(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs once, twice;

    (void)state;
    machine_trap(&machine, true, machine_at(DIRECT(0, 0)));
    for (unsigned first = 0; first < machine.depth; first++)
        for (unsigned second = 0; first + second <= machine.depth; second++) {
            once = twice = machine_regs(&machine);
            assert_true(unwind_rewind(unwind_default(), &once, first + second));
            assert_true(unwind_rewind(unwind_default(), &twice, first));
            assert_true(unwind_rewind(unwind_default(), &twice, second));
            assert_memory_equal(&once, &twice, sizeof(once));
        }
}

static void frames_skipped_beyond_the_chains_end_leave_nothing(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);
    uint64_t chain[8] = {0};
    unsigned length = machine.depth + 1;

    (void)state;
    assert_int_equal(unwind_capture_by(UNWIND_BY_TABLE, &regs, length - 1, chain, 8), 1);
    assert_int_equal(chain[0], body_of(BOOT));
    chain[0] = 0;
    assert_int_equal(unwind_capture_by(UNWIND_BY_TABLE, &regs, length, chain, 8), 0);
    assert_int_equal(unwind_capture_by(UNWIND_BY_TABLE, &regs, 126, chain, 8), 0);
    assert_int_equal(unwind_capture_by(UNWIND_BY_TABLE, &regs, 1, chain, 0), 0);
    assert_int_equal(chain[0], 0);
}

/* --- The macros. --- */

/* In this file, so that nearby addresses can be recognised. */
static void here(void)
{
}

static void a_snapshot_has_the_registers_of_its_own_place(void **state)
{
    uintptr_t low = (uintptr_t)__builtin_frame_address(0) - 65536;
    struct regs regs;

    (void)state;
    REGS_SNAPSHOT(&regs);
    assert_in_range(regs.sp, low, (uintptr_t)__builtin_frame_address(0));
    assert_in_range(regs.ip, (uintptr_t)here - 65536, (uintptr_t)here + 65536);
    assert_int_equal(regs.flags, FLAGS_INTERRUPT);
    assert_int_equal(regs.cs, KERNEL_CODE_SELECTOR);
    assert_false(regs_are_full(&regs) || regs_are_partial(&regs) || regs_are_rewound(&regs));
}

static void a_partial_snapshot_has_ip_sp_and_cs_alone(void **state)
{
    uintptr_t low = (uintptr_t)__builtin_frame_address(0) - 65536;
    struct regs regs, rest;

    (void)state;
    memset(&regs, 0xa5, sizeof(regs));
    REGS_SNAPSHOT_PARTIAL(&regs);
    assert_in_range(regs.sp, low, (uintptr_t)__builtin_frame_address(0));
    assert_in_range(regs.ip, (uintptr_t)here - 65536, (uintptr_t)here + 65536);
    assert_true(regs_are_partial(&regs));
    assert_false(regs_are_full(&regs) || regs_are_rewound(&regs));
    rest = (struct regs){
        .ip = regs.ip, .sp = regs.sp, .cs = KERNEL_CODE_SELECTOR, .ss = KERNEL_DATA_SELECTOR};
    assert_memory_equal(&regs, &rest, sizeof(regs));
}

/* The unwinder may not read the host's stack, so there are no callers. */
static void a_snapshot_that_cannot_be_rewound_stays_as_it_is(void **state)
{
    struct regs regs;

    (void)state;
    REGS_SNAPSHOT(&regs);
    assert_false(unwind_rewind(unwind_default(), &regs, 1));
    assert_in_range(regs.ip, (uintptr_t)here - 65536, (uintptr_t)here + 65536);
    assert_false(regs_are_full(&regs) || regs_are_partial(&regs) || regs_are_rewound(&regs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_chain_of_calls_begins_at_any_caller, machine_setup),
        cmocka_unit_test_setup(a_chain_over_trap_frames_begins_at_any_caller, machine_setup),
        cmocka_unit_test_setup(a_call_at_a_functions_very_end_still_belongs_to_it, machine_setup),
        cmocka_unit_test_setup(an_interrupted_place_comes_back_with_all_its_registers,
                               machine_setup),
        cmocka_unit_test_setup(a_rewound_frame_does_not_claim_registers_that_it_lacks,
                               machine_setup),
        cmocka_unit_test_setup(a_rewound_partial_snapshot_knows_a_frame_pointer_that_was_saved,
                               machine_setup),
        cmocka_unit_test_setup(a_rewound_partial_snapshot_stays_partial_without_one, machine_setup),
        cmocka_unit_test_setup(rewinding_twice_is_rewinding_by_the_sum, machine_setup),
        cmocka_unit_test_setup(frames_skipped_beyond_the_chains_end_leave_nothing, machine_setup),
        cmocka_unit_test_setup(a_snapshot_has_the_registers_of_its_own_place, machine_setup),
        cmocka_unit_test_setup(a_partial_snapshot_has_ip_sp_and_cs_alone, machine_setup),
        cmocka_unit_test_setup(a_snapshot_that_cannot_be_rewound_stays_as_it_is, machine_setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

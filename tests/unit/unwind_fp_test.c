/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwinder by frame pointers. A small machine calls, is interrupted and changes stacks, and
 * records the expected chain. Then come impossible stacks, each with the reason why the walk must
 * stop, and random ones, on which it must neither read out of bounds nor loop. Each chain of the
 * iterator is compared with the hit path's unwind_capture_by. Linked as in a kernel of UNWINDER=fp.
 *
 * links: core/unwind/default_fp.c tools/orcgen/table.c tests/unit/fake_arch.c tests/unit/unwind_machine.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/refusal.h"
#include "core/unwind/unwind.h"
#include "tests/unit/fake_arch.h"
#include "tests/unit/fake_unwind_table.h"
#include "tests/unit/unwind_machine.h"

/* --- Possible states. --- */

static void a_plain_chain_is_followed_to_the_outermost_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    assert_int_equal(machine.depth, 3);
    assert_chain(&machine);
}

static void a_hit_in_a_prologue_keeps_the_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call(&machine, 5);
    assert_chain(&machine); /* before push rbp */
    machine_push(&machine, machine.fp);
    machine.ip += 1;
    assert_chain(&machine); /* before mov rbp, rsp */
    machine.fp = machine.sp;
    machine.ip += 3;
    assert_chain(&machine);
}

static void a_hit_in_an_epilogue_keeps_the_caller(void **state)
{
    (void)state;
    for (unsigned function = 4; function < 6; function++) { /* pop rbp, and leave */
        struct machine machine = machine_three_calls_deep();
        uintptr_t fp = machine.fp, sp = machine.sp;

        machine_call(&machine, function);
        machine_prologue(&machine, 0);
        machine.ip = function_start(function) + EPILOGUE;
        assert_chain(&machine); /* before it */
        machine.fp = fp;
        machine.sp = sp - 8;
        machine.ip += 1;
        assert_chain(&machine); /* before ret */
    }
}

static void a_hit_in_a_leaf_without_a_frame_keeps_the_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call(&machine, LEAF);
    for (unsigned offset = 0; offset < FUNCTION_SIZE - 1; offset++) {
        machine.ip = function_start(LEAF) + offset;
        assert_chain(&machine);
    }
}

static void a_hit_in_a_leaf_that_pushes_flags_keeps_the_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call(&machine, FLAGS_LEAF);
    assert_chain(&machine);
    machine_push(&machine, FLAGS_FIXED);
    machine.ip += 1;
    assert_chain(&machine);
    machine.sp += 8;
    machine.ip += 1;
    assert_chain(&machine);
}

static void a_function_without_a_symbol_is_taken_to_have_a_frame(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call(&machine, NAMELESS);
    machine_prologue(&machine, 3);
    assert_chain(&machine);
}

static void a_call_into_nowhere_is_traced_to_its_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call(&machine, 0);
    machine.ip = 0;
    assert_chain(&machine);
    machine.ip = 0xffffffff90000000;
    assert_chain(&machine);
}

static void a_trap_entry_is_a_frame_and_the_interrupted_place_another(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t interrupted = machine.ip;
    struct regs regs;
    struct walk walk;

    (void)state;
    machine_trap(&machine, false, function_start(7));
    machine_prologue(&machine, 2);
    regs = machine_regs(&machine);
    assert_chain(&machine);
    walk = walk_from(&regs);
    assert_int_equal(walk.kind[0], UNWIND_TRAP);
    assert_int_equal(walk.ip[1], machine_at(TRAP_RETURN));
    assert_int_equal(walk.kind[1], UNWIND_CALL);
    assert_int_equal(walk.ip[2], interrupted);
    assert_int_equal(walk.kind[2], UNWIND_TRAP);
    assert_int_equal(walk.kind[3], UNWIND_CALL);
}

static void the_interrupted_place_comes_with_its_registers(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct unwind frame;
    struct regs regs;
    uintptr_t sp = machine.sp;

    (void)state;
    machine_trap(&machine, true, function_start(7));
    regs = machine_regs(&machine);
    unwind_start(&frame, &regs);
    assert_ptr_equal(frame.regs, &regs);
    unwind_next(&frame);
    assert_null(frame.regs);
    assert_int_equal(frame.sp, machine_stacks[1]->high - sizeof(struct regs));
    unwind_next(&frame);
    assert_int_equal((uintptr_t)frame.regs, machine_stacks[1]->high - sizeof(struct regs));
    assert_int_equal(frame.sp, sp);
    assert_ptr_equal(frame.stack, machine_stacks[0]);
}

static void traps_are_crossed_wherever_they_came(void **state)
{
    static const unsigned offsets[] = {0, 1, BODY, EPILOGUE + 1};

    (void)state;
    for (unsigned other_stack = 0; other_stack < 2; other_stack++)
        for (unsigned i = 0; i < 4; i++) {
            struct machine machine = machine_three_calls_deep();

            machine_call(&machine, 9);
            if (offsets[i] == 1 || offsets[i] == BODY)
                machine_push(&machine, machine.fp);
            if (offsets[i] == BODY)
                machine.fp = machine.sp;
            machine.ip += offsets[i];
            machine_trap(&machine, other_stack, function_start(7));
            assert_chain(&machine);
            machine_prologue(&machine, 1);
            assert_chain(&machine);
        }
}

static void traps_within_traps_are_crossed_over_all_stacks(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    for (unsigned level = 0; level < 4; level++) {
        machine_trap(&machine, true, function_start(8 + level));
        machine_prologue(&machine, level);
        machine_call(&machine, 3);
        machine_prologue(&machine, 1);
        assert_chain(&machine);
    }
}

static void a_snapshot_begins_in_the_middle_of_its_function(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);

    (void)state;
    regs.flags = FLAGS_INTERRUPT;
    assert_chain_from(&machine, &regs);
    regs.flags = 0;
    assert_chain_from(&machine, &regs);
}

/* Such as an NMI at the very start of an interrupt's entry. */
static void inside_a_trap_entry_the_chain_stops_with_a_reason(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR,
                        .ip = machine_at(TEXT_PLAIN_END),
                        .sp = machine.sp,
                        .flags = FLAGS_FIXED};

    (void)state;
    assert_walk(&regs, 1, UNWIND_IN_ENTRY);
}

/* Zero here is a frame pointer that was never read; it must not count as the outermost frame's. */
static void a_rewound_partial_snapshot_is_not_taken_for_outermost(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = {
        .cs = KERNEL_CODE_SELECTOR, .ip = machine.ip, .sp = machine.sp, .vector = REGS_REWOUND};

    (void)state;
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
}

static void a_partial_snapshot_gives_its_own_place_and_a_reason(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR, .ip = machine.ip, .sp = machine.sp};

    (void)state;
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
    regs.flags = FLAGS_FIXED;
    assert_walk(&regs, 1, UNWIND_OUTERMOST);
}

static void runaway_recursion_is_named_from_inside_the_guard(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    while (machine.sp >= machine_stacks[0]->low + 4 * 8) {
        machine_call(&machine, 6);
        machine_prologue(&machine, 1);
    }
    /* Room for locals that lies in the guard: the first store there faults. */
    for (uintptr_t sp = machine_stacks[0]->guard + 8; sp < machine.sp; sp += 8) {
        regs = machine_regs(&machine);
        regs.sp = sp;
        assert_chain_from(&machine, &regs);
    }
    /* The same for a handler on another stack. */
    machine.sp = machine_stacks[0]->low - 64;
    machine_trap(&machine, true, function_start(7));
    machine_prologue(&machine, 0);
    assert_chain(&machine);
}

/* --- What unwind_init finds. --- */

static void a_kernel_with_frame_pointers_takes_them_if_the_table_is_bad(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct refusal why = {.text = ""};

    (void)state;
    assert_true(unwind_possible(UNWIND_BY_TABLE));
    assert_true(unwind_possible(UNWIND_BY_FRAME_POINTER));
    assert_int_equal(unwind_default(), UNWIND_BY_FRAME_POINTER);
    fake_unwind_table[machine_table()->size - 1] ^= 1;
    assert_int_equal(unwind_init(&why), -EINVAL);
    assert_non_null(strstr(why.text, "checksum"));
    assert_false(unwind_possible(UNWIND_BY_TABLE));
    assert_true(unwind_possible(UNWIND_BY_FRAME_POINTER));
    assert_int_equal(unwind_default(), UNWIND_BY_FRAME_POINTER);
    assert_chain(&machine);
}

static void a_chain_by_a_table_that_is_not_there_has_one_frame_and_a_reason(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);
    struct refusal why;
    struct walk walk;

    (void)state;
    fake_unwind_table_fill("", 0);
    assert_int_equal(unwind_init(&why), -EINVAL);
    walk = walk_by(UNWIND_BY_TABLE, &regs);
    assert_int_equal(walk.count, 1);
    assert_int_equal(walk.ip[0], machine.ip);
    assert_int_equal(walk.end, UNWIND_NO_WAY);
}

/* --- Impossible states. --- */

/*
 * A walk from the body of a framed function with this frame pointer; stacks are zero unless written
 * to.
 */
static struct regs regs_with_frame(uintptr_t fp)
{
    return (struct regs){.cs = KERNEL_CODE_SELECTOR,
                         .ip = body_of(1),
                         .sp = machine_stacks[0]->low,
                         .bp = fp,
                         .flags = FLAGS_FIXED};
}

static void put_frame(uintptr_t at, uintptr_t fp, uintptr_t return_address)
{
    ((uint64_t *)at)[0] = fp;
    ((uint64_t *)at)[1] = return_address;
}

static void a_stack_pointer_in_no_stack_ends_the_chain(void **state)
{
    struct regs regs = regs_with_frame(machine_stacks[0]->low);

    (void)state;
    put_frame(machine_stacks[0]->low, 0, body_of(2));
    regs.sp = (uintptr_t)&regs;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
    regs.sp = machine_stacks[0]->high + 8;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
    regs.sp = machine_stacks[0]->guard;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
    regs.sp = 0;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
}

static void frames_are_read_up_to_the_stacks_very_ends(void **state)
{
    struct regs regs = regs_with_frame(machine_stacks[0]->low);

    (void)state;
    put_frame(machine_stacks[0]->low, machine_stacks[0]->high - 16, body_of(2));
    put_frame(machine_stacks[0]->high - 16, 0, body_of(3));
    assert_walk(&regs, 3, UNWIND_OUTERMOST);
}

static void frames_outside_the_stack_are_not_read(void **state)
{
    struct regs regs;

    (void)state;
    regs = regs_with_frame(machine_stacks[0]->high - 8); /* half inside */
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(machine_stacks[0]->high);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(machine_stacks[0]->low - 8); /* half inside, from below */
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(machine_stacks[1]->low);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(UINTPTR_MAX - 7);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(8);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
}

static void a_return_address_is_read_from_the_top_word_and_not_beyond(void **state)
{
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR, .ip = body_of(LEAF), .flags = FLAGS_FIXED};

    (void)state;
    ((uint64_t *)machine_stacks[0]->high)[-1] = body_of(2);
    regs.sp = machine_stacks[0]->high - 8;
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    regs.sp = machine_stacks[0]->high;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs.sp = machine_stacks[0]->low - 8;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs.sp = machine_stacks[0]->low + 4;
    assert_walk(&regs, 1, UNWIND_MISALIGNED);
}

static void misaligned_frame_pointers_end_the_chain(void **state)
{
    (void)state;
    for (unsigned off = 1; off < 8; off++) {
        struct regs regs = regs_with_frame(machine_stacks[0]->low + 64 + off);

        assert_walk(&regs, 1, UNWIND_MISALIGNED);
        regs = regs_with_frame(machine_stacks[0]->low);
        put_frame(machine_stacks[0]->low, machine_stacks[0]->low + 64 + off, body_of(2));
        assert_walk(&regs, 2, UNWIND_MISALIGNED);
    }
}

static void frames_never_go_backwards(void **state)
{
    uintptr_t first = machine_stacks[0]->low + 64, second = first + 64;
    struct regs regs = regs_with_frame(first);

    (void)state;
    put_frame(first, first, body_of(2)); /* points to itself */
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
    put_frame(first, first + 8, body_of(2)); /* to half of itself */
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
    put_frame(first, second, body_of(2));
    put_frame(second, second, body_of(3)); /* the outer frame to itself */
    assert_walk(&regs, 3, UNWIND_NOT_FORWARD);
    put_frame(second, second + 8, body_of(3));
    ((uint64_t *)second)[2] = body_of(4);
    assert_walk(&regs, 3, UNWIND_NOT_FORWARD);
    put_frame(first, second, body_of(2)); /* in a circle */
    put_frame(second, first, body_of(3));
    assert_walk(&regs, 3, UNWIND_NOT_FORWARD);
    regs.sp = second; /* below the stack pointer */
    assert_walk(&regs, 1, UNWIND_NOT_FORWARD);
}

static void return_addresses_must_be_in_the_text(void **state)
{
    uintptr_t frame = machine_stacks[0]->low + 64;
    struct regs regs = regs_with_frame(frame);
    /*
     * A return address follows its call: the first byte of the text is never one, the end of the
     * text may be.
     */
    uintptr_t bad[] = {0, 8, machine_at(0), machine_at(TEXT_SIZE) + 1, UINTPTR_MAX, frame};
    uintptr_t good[] = {machine_at(1), machine_at(TEXT_PLAIN_END) - 1, machine_at(TEXT_PLAIN_END),
                        machine_at(TEXT_PLAIN_END) + 1, machine_at(TEXT_SIZE)};

    (void)state;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put_frame(frame, 0, bad[i]);
        assert_walk(&regs, 1, UNWIND_NOT_CODE);
        put_frame(frame, frame + 64, body_of(2));
        put_frame(frame + 64, 0, bad[i]);
        assert_walk(&regs, 2, UNWIND_NOT_CODE);
    }
    for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        put_frame(frame, 0, good[i]);
        assert_walk(&regs, 2, UNWIND_OUTERMOST);
    }
}

/* Puts at `at` a frame that a trap entry called, followed by the struct regs. */
static struct regs *put_trap_frame(uintptr_t at, struct regs regs)
{
    put_frame(at, 0, machine_at(TRAP_RETURN));
    memcpy((void *)(at + 16), &regs, sizeof(regs));
    return (struct regs *)(at + 16);
}

static void a_trap_frame_must_lie_in_the_stack_as_a_whole(void **state)
{
    uintptr_t at = machine_stacks[0]->high - 16 - sizeof(struct regs);
    struct regs regs = regs_with_frame(at);

    (void)state;
    put_trap_frame(at, (struct regs){.cs = KERNEL_CODE_SELECTOR,
                                     .ip = body_of(2),
                                     .sp = machine_stacks[1]->low,
                                     .flags = FLAGS_FIXED});
    assert_walk(&regs, 3, UNWIND_OUTERMOST);
    at += 8;
    regs = regs_with_frame(at);
    put_frame(at, 0, machine_at(TRAP_RETURN));
    assert_walk(&regs, 2, UNWIND_OUTSIDE_STACK);
    at = machine_stacks[0]->high - 16;
    regs = regs_with_frame(at);
    put_frame(at, 0, machine_at(TRAP_RETURN));
    assert_walk(&regs, 2, UNWIND_OUTSIDE_STACK);
}

static void a_trap_frame_that_leads_down_its_stack_ends_the_chain(void **state)
{
    uintptr_t at = machine_stacks[0]->low + 64;
    struct regs start = regs_with_frame(at);
    struct regs *regs = put_trap_frame(
        at, (struct regs){
                .cs = KERNEL_CODE_SELECTOR, .ip = body_of(2), .sp = at, .flags = FLAGS_FIXED});

    (void)state;
    assert_walk(&start, 2, UNWIND_NOT_FORWARD);
    regs->sp = machine_stacks[0]->low;
    assert_walk(&start, 2, UNWIND_NOT_FORWARD);
}

static void two_stacks_that_lead_to_each_other_are_walked_once(void **state)
{
    uintptr_t first = machine_stacks[0]->low + 64, second = machine_stacks[1]->low + 64;
    struct regs start = regs_with_frame(first);

    (void)state;
    put_trap_frame(first, (struct regs){.cs = KERNEL_CODE_SELECTOR,
                                        .ip = body_of(2),
                                        .sp = second,
                                        .bp = second,
                                        .flags = FLAGS_FIXED});
    put_trap_frame(second, (struct regs){.cs = KERNEL_CODE_SELECTOR,
                                         .ip = body_of(3),
                                         .sp = first,
                                         .bp = first,
                                         .flags = FLAGS_FIXED});
    assert_walk(&start, 4, UNWIND_STACK_TWICE);
}

static void more_stacks_than_contexts_nest_end_the_chain(void **state)
{
    struct regs start = regs_with_frame(machine_stacks[0]->low);

    (void)state;
    for (unsigned i = 0; i + 1 < FAKE_STACKS_MAX; i++) {
        uintptr_t next = machine_stacks[i + 1]->low;

        put_trap_frame(machine_stacks[i]->low, (struct regs){.cs = KERNEL_CODE_SELECTOR,
                                                             .ip = body_of(i),
                                                             .sp = next,
                                                             .bp = next,
                                                             .flags = FLAGS_FIXED});
    }
    /* Five stacks, each but the last with the trap entry and what it interrupted. */
    assert_walk(&start, 10, UNWIND_STACK_TWICE);
}

static void each_reason_has_words_of_its_own(void **state)
{
    (void)state;
    for (enum unwind_end end = UNWIND_RUNNING; end <= UNWIND_IN_ENTRY; end++) {
        assert_true(strlen(unwind_reason(end)) > 8);
        for (enum unwind_end other = UNWIND_RUNNING; other < end; other++)
            assert_string_not_equal(unwind_reason(end), unwind_reason(other));
    }
}

static void each_kind_of_frame_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(unwind_kind_name(UNWIND_SNAPSHOT), "here");
    assert_string_equal(unwind_kind_name(UNWIND_TRAP), "trap");
    assert_string_equal(unwind_kind_name(UNWIND_CALL), "call");
}

/* --- Random machines and stacks. --- */

/*
 * Calls a framed function and stops at a random place in it; only from its body can it call another
 * one.
 */
static bool machine_random_call(struct machine *machine)
{
    machine_call(machine, chance(FRAMED));
    switch (chance(8)) {
    case 0:
        return false;
    case 1:
        machine_push(machine, machine->fp);
        machine->ip += 1;
        return false;
    default:
        machine_prologue(machine, chance(6));
        return true;
    }
}

static void every_chain_that_a_machine_can_make_is_found_whole(void **state)
{
    (void)state;
    chance_begin(3);
    for (unsigned round = 0; round < 20000; round++) {
        struct machine machine = machine_start();
        bool in_body = true;
        unsigned length = chance(20);

        machine_call(&machine, chance(FRAMED));
        machine_prologue(&machine, chance(4));
        for (unsigned i = 0; i < length; i++) {
            if (in_body && chance(5)) {
                in_body = machine_random_call(&machine);
                continue;
            }
            if (machine.sp < machine_stacks[machine.stacks - 1]->low + 1024)
                break;
            machine_trap(&machine, machine.stacks < 4 && chance(2), function_start(chance(FRAMED)));
            machine_prologue(&machine, chance(4));
            in_body = true;
        }
        assert_chain(&machine);
    }
}

static void no_noise_leads_out_of_the_stacks_or_round(void **state)
{
    const struct arch_stack *small[FAKE_STACKS_MAX];
    unsigned long ends[UNWIND_IN_ENTRY + 1] = {0};

    fake_arch_reset(state);
    machine_place_text();
    for (unsigned i = 0; i < FAKE_STACKS_MAX; i++)
        small[i] = fake_stack_add("small", 60 + 7 * i);
    chance_begin(8); /* one walk of 80,000 returns to a stack already left; these are two */
    for (unsigned round = 0; round < 100000; round++) {
        unsigned count = 1 + chance(FAKE_STACKS_MAX);
        struct regs regs;

        for (unsigned i = 0; i < count; i++)
            fill_with_noise((void *)small[i]->low, (small[i]->high - small[i]->low) / 8, small,
                            count);
        fill_with_noise(&regs, sizeof(regs) / 8, small, count);
        regs.cs = chance(8) ? KERNEL_CODE_SELECTOR : regs.cs;
        ends[walk_from(&regs).end]++;
    }
    for (enum unwind_end end = UNWIND_OUTERMOST; end < UNWIND_NO_FRAME_POINTER; end++)
        if (ends[end] == 0)
            fail_msg("never: %s", unwind_reason(end));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_plain_chain_is_followed_to_the_outermost_caller, machine_setup),
        cmocka_unit_test_setup(a_hit_in_a_prologue_keeps_the_caller, machine_setup),
        cmocka_unit_test_setup(a_hit_in_an_epilogue_keeps_the_caller, machine_setup),
        cmocka_unit_test_setup(a_hit_in_a_leaf_without_a_frame_keeps_the_caller, machine_setup),
        cmocka_unit_test_setup(a_hit_in_a_leaf_that_pushes_flags_keeps_the_caller, machine_setup),
        cmocka_unit_test_setup(a_function_without_a_symbol_is_taken_to_have_a_frame, machine_setup),
        cmocka_unit_test_setup(a_call_into_nowhere_is_traced_to_its_caller, machine_setup),
        cmocka_unit_test_setup(a_trap_entry_is_a_frame_and_the_interrupted_place_another,
                               machine_setup),
        cmocka_unit_test_setup(the_interrupted_place_comes_with_its_registers, machine_setup),
        cmocka_unit_test_setup(traps_are_crossed_wherever_they_came, machine_setup),
        cmocka_unit_test_setup(traps_within_traps_are_crossed_over_all_stacks, machine_setup),
        cmocka_unit_test_setup(a_snapshot_begins_in_the_middle_of_its_function, machine_setup),
        cmocka_unit_test_setup(inside_a_trap_entry_the_chain_stops_with_a_reason, machine_setup),
        cmocka_unit_test_setup(a_partial_snapshot_gives_its_own_place_and_a_reason, machine_setup),
        cmocka_unit_test_setup(a_rewound_partial_snapshot_is_not_taken_for_outermost,
                               machine_setup),
        cmocka_unit_test_setup(runaway_recursion_is_named_from_inside_the_guard, machine_setup),
        cmocka_unit_test_setup(a_kernel_with_frame_pointers_takes_them_if_the_table_is_bad,
                               machine_setup),
        cmocka_unit_test_setup(a_chain_by_a_table_that_is_not_there_has_one_frame_and_a_reason,
                               machine_setup),
        cmocka_unit_test_setup(a_stack_pointer_in_no_stack_ends_the_chain, machine_setup),
        cmocka_unit_test_setup(frames_are_read_up_to_the_stacks_very_ends, machine_setup),
        cmocka_unit_test_setup(frames_outside_the_stack_are_not_read, machine_setup),
        cmocka_unit_test_setup(a_return_address_is_read_from_the_top_word_and_not_beyond,
                               machine_setup),
        cmocka_unit_test_setup(misaligned_frame_pointers_end_the_chain, machine_setup),
        cmocka_unit_test_setup(frames_never_go_backwards, machine_setup),
        cmocka_unit_test_setup(return_addresses_must_be_in_the_text, machine_setup),
        cmocka_unit_test_setup(a_trap_frame_must_lie_in_the_stack_as_a_whole, machine_setup),
        cmocka_unit_test_setup(a_trap_frame_that_leads_down_its_stack_ends_the_chain,
                               machine_setup),
        cmocka_unit_test_setup(two_stacks_that_lead_to_each_other_are_walked_once, machine_setup),
        cmocka_unit_test_setup(more_stacks_than_contexts_nest_end_the_chain, machine_setup),
        cmocka_unit_test_setup(each_reason_has_words_of_its_own, machine_setup),
        cmocka_unit_test_setup(each_kind_of_frame_has_a_name_of_its_own, machine_setup),
        cmocka_unit_test_setup(every_chain_that_a_machine_can_make_is_found_whole, machine_setup),
        cmocka_unit_test_setup(no_noise_leads_out_of_the_stacks_or_round, machine_setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

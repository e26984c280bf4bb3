/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwinder by the table. A small machine runs through code of every rule that a table can hold,
 * and records the expected chain. Then come impossible stacks, each with the reason why the walk
 * must stop, and random ones. Each chain of the iterator is compared with unwind_capture_by. Linked
 * as in a kernel of UNWINDER=orc.
 *
 * links: core/unwind/default_orc.c tools/orcgen/table.c tests/unit/fake_arch.c tests/unit/unwind_machine.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/refusal.h"
#include "core/unwind/step.h"
#include "core/unwind/unwind.h"
#include "tests/unit/fake_arch.h"
#include "tests/unit/fake_unwind_table.h"
#include "tests/unit/unwind_machine.h"

/* --- Possible states: one rule after the other. --- */

/* The chain from here, and from a framed function called here, so that this is a call. */
static void assert_chain_here_and_from_a_call(const struct machine *machine)
{
    struct machine deeper = *machine;

    assert_chain(machine);
    machine_call(&deeper, 4);
    assert_chain(&deeper);
    machine_prologue(&deeper, 2);
    assert_chain(&deeper);
}

static void frames_by_rbp_are_followed_from_every_place_in_them(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t fp = machine.fp, sp = machine.sp;

    (void)state;
    assert_chain_here_and_from_a_call(&machine);
    machine_call(&machine, 5);
    assert_chain(&machine);
    machine_push(&machine, machine.fp);
    machine.ip = function_start(5) + 1;
    assert_chain(&machine);
    machine.fp = machine.sp;
    for (unsigned offset = BODY; offset <= EPILOGUE; offset++) {
        machine.ip = function_start(5) + offset;
        assert_chain(&machine);
    }
    machine.fp = fp;
    machine.sp = sp - 8;
    machine.ip = function_start(5) + EPILOGUE + 1;
    assert_chain(&machine);
}

static void a_run_of_plain_frames_fills_all_the_room(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);
    uint64_t chain[3] = {0};
    struct unwind walk;

    (void)state;
    for (size_t room = 0; room <= 3; room++) {
        unwind_start(&walk, &regs);
        assert_int_equal(unwind_orc.run(&walk, chain, room), room);
        for (size_t i = 0; i < room; i++)
            assert_int_equal(chain[i], machine.callers[machine.depth - 1 - i]);
    }
}

static void a_leaf_that_pushes_flags_keeps_its_caller(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call(&machine, FLAGS_LEAF);
    assert_chain(&machine);
    machine_push(&machine, FLAGS_FIXED);
    machine.ip += 1;
    assert_chain(&machine);
}

static void every_code_that_spells_its_rule_is_followed(void **state)
{
    (void)state;
    for (unsigned words = 0; words < DIRECT_WORDS; words++)
        for (unsigned saved = 0; saved < DIRECT_SAVED && saved <= words; saved++) {
            struct machine machine = machine_three_calls_deep();

            machine_call_at(&machine, DIRECT(words, saved), words, saved);
            assert_chain_here_and_from_a_call(&machine);
            machine_call_at(&machine, DIRECT(4, 2), 4, 2); /* restores rbp */
            assert_chain_here_and_from_a_call(&machine);
        }
}

static void every_rule_inside_the_list_and_past_its_end_is_followed(void **state)
{
    const struct unwind_table_header *header = machine_table()->bytes;

    (void)state;
    assert_true(header->rule_count > UNWIND_CODE_LIST_COUNT);
    assert_true(header->exception_count > 1);
    for (unsigned n = 0; n < LISTED_COUNT; n++) {
        struct machine machine = machine_three_calls_deep();

        machine_call_at(&machine, LISTED(n), LISTED_WORDS(n), n % 2 ? LISTED_SAVED(n) : 0);
        assert_chain_here_and_from_a_call(&machine);
    }
}

static void an_exception_reaches_over_the_ends_of_blocks(void **state)
{
    const unsigned last = LISTED_COUNT - 1;

    (void)state;
    for (unsigned offset = LISTED(last); offset < LISTED_END - 1; offset++) {
        struct machine machine = machine_three_calls_deep();

        machine_call_at(&machine, offset, LISTED_WORDS(last), LISTED_SAVED(last));
        assert_chain_here_and_from_a_call(&machine);
    }
}

static void each_instruction_of_a_row_of_pushes_and_pops_has_its_own_rule(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call_at(&machine, STEPS, 0, 0);
    for (unsigned i = 0; i < 2 * STEPS_WORDS; i++) {
        machine.ip = machine_at(STEPS + i);
        assert_chain(&machine);
        if (i < STEPS_WORDS - 1)
            machine_push(&machine, i);
        else if (i >= STEPS_WORDS)
            machine.sp += 8;
    }
}

static void code_far_from_the_start_of_the_text_is_found(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    assert_true(FAR > UINT16_MAX);
    machine_call_at(&machine, FAR, 4, 2);
    assert_chain_here_and_from_a_call(&machine);
}

static void a_realigned_frame_is_followed_through_the_word_that_keeps_its_cfa(void **state)
{
    (void)state;
    for (unsigned misalignment = 0; misalignment < 4; misalignment++) {
        struct machine machine = machine_three_calls_deep();

        machine_call_realigned(&machine, misalignment);
        machine.ip += 1;
        assert_chain_here_and_from_a_call(&machine);
    }
}

static void rbp_may_be_saved_at_a_place_counted_from_the_frame(void **state)
{
    static const unsigned offsets[] = {AT_FRAME, SP_AT_FRAME};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine machine = machine_three_calls_deep();
        uintptr_t fp = machine.fp;

        machine_call_at(&machine, offsets[i], 6, 0);
        machine.fp = machine.sp + 16; /* CFA - 40 */
        ((uint64_t *)machine.fp)[1] = fp;
        assert_chain_here_and_from_a_call(&machine);
    }
}

static void a_call_at_a_functions_very_end_belongs_to_it(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_call_at(&machine, NORETURN, 3, 0);
    machine.ip = machine_at(NORETURN_END);
    machine_call(&machine, LEAF);
    assert_chain(&machine);
    /* As the next instruction, the same address belongs to the next function. */
    machine = machine_three_calls_deep();
    machine_call_at(&machine, NORETURN_END, 9, 0);
    machine.ip = machine_at(NORETURN_END);
    assert_chain(&machine);
}

static uint64_t *register_of(struct regs *regs, unsigned number)
{
    uint64_t *const by_number[UNWIND_BASE_COUNT] = {&regs->ax,  &regs->dx,  &regs->cx,  &regs->bx,
                                                    &regs->si,  &regs->di,  &regs->bp,  &regs->sp,
                                                    &regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
                                                    &regs->r12, &regs->r13, &regs->r14, &regs->r15};

    return by_number[number];
}

static void a_frame_may_be_counted_from_any_register_that_a_trap_saved(void **state)
{
    (void)state;
    for (unsigned number = 0; number < UNWIND_BASE_COUNT; number++) {
        struct machine machine = machine_three_calls_deep();
        struct regs regs;

        if (number == UNWIND_BASE_FRAME_POINTER)
            continue; /* the callers need it */
        machine_call_at(&machine, REGISTER(number), 1, 0);
        regs = machine_regs(&machine);
        for (unsigned other = 0; other < UNWIND_BASE_COUNT; other++)
            if (other != UNWIND_BASE_FRAME_POINTER && other != UNWIND_BASE_STACK_POINTER)
                *register_of(&regs, other) = machine.sp + 8 * (other + 1);
        *register_of(&regs, number) = machine.sp;
        assert_chain_from(&machine, &regs);
    }
}

static void a_realigned_functions_prologue_is_counted_from_r10(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t cfa = machine.sp;
    struct regs regs;

    (void)state;
    machine_call_at(&machine, REALIGNED_ENTRY, 5, 0);
    regs = machine_regs(&machine);
    regs.r10 = cfa;
    assert_chain_from(&machine, &regs);
    regs.flags &= ~FLAGS_FIXED; /* a snapshot, without r10 */
    assert_walk(&regs, 1, UNWIND_NO_REGISTER);
    machine_call(&machine, LEAF); /* and a call may change it */
    regs = machine_regs(&machine);
    regs.r10 = cfa;
    assert_walk(&regs, 2, UNWIND_NO_REGISTER);
}

/* --- Traps. --- */

static void whole_trap_frames_are_crossed_wherever_they_came(void **state)
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
            machine.fp = 0x7654321; /* arbitrary in the handler: the struct regs has the caller's */
            assert_chain(&machine);
            machine_call_at(&machine, DIRECT(7, 3), 7, 3);
            assert_chain(&machine);
        }
}

static const struct half {
    unsigned offset, words;
} halves[] = {{ENTRY, 5}, {ENTRY + 1, 5}, {ENTRY_VECTOR, 7}, {ENTRY_HALF, 18}, {ENTRY_LEFT, 5}};

#define HALVES (sizeof(halves) / sizeof(halves[0]))

/* Such as an NMI inside a trap entry; the entry's own trap interrupted code that needs rbp. */
static void half_saved_trap_frames_are_crossed(void **state)
{
    (void)state;
    for (unsigned other_stack = 0; other_stack < 2; other_stack++)
        for (unsigned i = 0; i < HALVES; i++) {
            struct machine machine = machine_three_calls_deep();

            machine_trap_half(&machine, other_stack, halves[i].offset, halves[i].words);
            if (halves[i].offset == ENTRY_HALF)
                machine.fp = 0x1234567;
            assert_chain(&machine);
            machine_trap(&machine, true, function_start(7));
            assert_chain(&machine);
        }
}

static void whole_trap_frames_are_left_from_inside_their_entry(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    machine_trap_half(&machine, true, ENTRY_WHOLE, sizeof(struct regs) / 8);
    machine.fp = 0x1234567;
    assert_chain(&machine);
    machine_trap(&machine, true, function_start(7));
    assert_chain(&machine);
}

static void traps_within_traps_are_crossed_over_all_stacks(void **state)
{
    struct machine machine = machine_three_calls_deep();

    (void)state;
    for (unsigned level = 0; level < 4; level++) {
        machine_trap(&machine, true, function_start(8 + level));
        machine_prologue(&machine, level);
        machine_call_at(&machine, DIRECT(6, 1), 6, 1);
        assert_chain(&machine);
    }
}

static void an_interrupted_place_comes_with_its_registers_if_all_were_saved(void **state)
{
    struct machine machine = machine_three_calls_deep();
    uintptr_t sp = machine.sp, ip = machine.ip;
    struct regs regs;
    struct unwind frame;

    (void)state;
    machine_trap(&machine, true, function_start(7));
    regs = machine_regs(&machine);
    unwind_start(&frame, &regs);
    assert_int_equal(frame.kind, UNWIND_TRAP);
    unwind_next(&frame);
    assert_int_equal(frame.kind, UNWIND_CALL);
    assert_int_equal(frame.ip, machine_at(TRAP_RETURN));
    unwind_next(&frame);
    assert_int_equal(frame.kind, UNWIND_TRAP);
    assert_int_equal((uintptr_t)frame.regs, machine_stacks[1]->high - sizeof(struct regs));
    assert_int_equal(frame.sp, sp);
    assert_ptr_equal(frame.stack, machine_stacks[0]);

    machine = machine_three_calls_deep();
    machine_trap_half(&machine, true, ENTRY, 5);
    regs = machine_regs(&machine);
    unwind_start(&frame, &regs);
    unwind_next(&frame);
    assert_int_equal(frame.kind, UNWIND_TRAP);
    assert_int_equal(frame.ip, ip);
    assert_int_equal(frame.sp, sp);
    assert_null(frame.regs);
}

/* Registers that a half-saved frame does not contain remain unknown. */
static void registers_of_a_half_saved_trap_frame_are_not_made_up(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    machine_call_at(&machine, REALIGNED_ENTRY, 5, 0);
    machine_trap_half(&machine, true, ENTRY, 5);
    regs = machine_regs(&machine);
    regs.r10 = machine.sp;
    assert_walk(&regs, 2, UNWIND_NO_REGISTER);
}

static void a_call_into_nowhere_is_traced_to_its_caller(void **state)
{
    static const uintptr_t nowhere[] = {0, 0xffffffff90000000, UINTPTR_MAX};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine machine = machine_three_calls_deep();

        machine_call(&machine, 0);
        machine.ip = nowhere[i];
        assert_chain(&machine);
        machine.ip = machine_at(TEXT_SIZE);
        assert_chain(&machine);
        machine.ip = machine_at(0) - 1;
        assert_chain(&machine);
    }
}

static void runaway_recursion_is_named_from_inside_the_guard(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    while (machine.sp >= machine_stacks[0]->low + 8 * 8) {
        machine_call(&machine, 6);
        machine_prologue(&machine, 1);
    }
    /* By rbp: room for locals may lie in the guard, where the first store faults. */
    for (uintptr_t sp = machine_stacks[0]->guard + 8; sp < machine.sp; sp += 64) {
        regs = machine_regs(&machine);
        regs.sp = sp;
        assert_chain_from(&machine, &regs);
    }
    /* By sp: a push faults, too. */
    machine_call_at(&machine, DIRECT(10, 0), 0, 0);
    machine.sp -= 10 * 8;
    assert_true(machine.sp < machine_stacks[0]->low);
    assert_chain(&machine);
    /* The same for a handler on another stack. */
    machine_trap(&machine, true, function_start(7));
    machine_prologue(&machine, 0);
    assert_chain(&machine);
}

/* --- Snapshots. --- */

static void a_snapshot_begins_in_the_middle_of_its_function(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);

    (void)state;
    regs.flags = FLAGS_INTERRUPT;
    assert_chain_from(&machine, &regs);
    assert_int_equal(walk_from(&regs).kind[0], UNWIND_SNAPSHOT);
    regs.flags = 0;
    assert_chain_from(&machine, &regs);
}

static struct regs partial_of(const struct machine *machine)
{
    return (struct regs){.cs = KERNEL_CODE_SELECTOR, .ip = machine->ip, .sp = machine->sp};
}

static void a_partial_snapshot_gets_its_frame_pointer_from_where_it_was_saved(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    machine_call_at(&machine, DIRECT(5, 4), 5, 4);
    regs = partial_of(&machine);
    assert_chain_from(&machine, &regs);
    machine_call_at(&machine, DIRECT(9, 0), 9, 0);
    regs = partial_of(&machine);
    assert_chain_from(&machine, &regs);

    machine = machine_three_calls_deep();
    machine_call_at(&machine, LISTED(1), LISTED_WORDS(1), LISTED_SAVED(1));
    regs = partial_of(&machine);
    assert_chain_from(&machine, &regs);

    machine = machine_three_calls_deep();
    machine_trap(&machine, true, machine_at(DIRECT(0, 0)));
    regs = partial_of(&machine);
    assert_chain_from(&machine, &regs);
}

static void a_partial_snapshot_ends_where_a_frame_pointer_is_missing(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = partial_of(&machine);

    (void)state;
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
    assert_int_equal(walk_from(&regs).kind[0], UNWIND_SNAPSHOT);
    machine_call_at(&machine, DIRECT(9, 0), 9, 0);
    regs = partial_of(&machine);
    assert_walk(&regs, 2, UNWIND_NO_FRAME_POINTER);
    machine_trap_half(&machine, true, ENTRY, 5);
    regs = partial_of(&machine);
    assert_walk(&regs, 3, UNWIND_NO_FRAME_POINTER);
    regs.flags = FLAGS_FIXED; /* a trap frame whose rbp is 0 */
    assert_walk(&regs, 3, UNWIND_OUTSIDE_STACK);
}

/* The CFA may be known: the place of rbp is relative to rbp. */
static void a_place_counted_from_an_unknown_frame_pointer_is_not_read(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs;

    (void)state;
    machine_call_at(&machine, SP_AT_FRAME, 6, 0);
    regs = partial_of(&machine);
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
    machine = machine_three_calls_deep();
    machine_call_at(&machine, AT_FRAME, 6, 0);
    regs = partial_of(&machine);
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
    machine = machine_three_calls_deep();
    machine_call_realigned(&machine, 1);
    regs = partial_of(&machine);
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
}

/* --- What unwind_init finds. --- */

static void a_kernel_without_frame_pointers_and_table_gives_one_frame(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);
    struct refusal why = {.text = ""};

    (void)state;
    assert_true(unwind_possible(UNWIND_BY_TABLE));
    assert_false(unwind_possible(UNWIND_BY_FRAME_POINTER));
    assert_int_equal(unwind_default(), UNWIND_BY_TABLE);
    fake_unwind_table[machine_table()->size - 1] ^= 1;
    assert_int_equal(unwind_init(&why), -EINVAL);
    assert_non_null(strstr(why.text, "checksum"));
    assert_false(unwind_possible(UNWIND_BY_TABLE));
    assert_int_equal(unwind_default(), UNWIND_BY_TABLE);
    assert_walk(&regs, 1, UNWIND_NO_WAY);
    assert_int_equal(walk_from(&regs).ip[0], machine.ip);
}

static void a_table_of_another_text_or_build_is_not_used(void **state)
{
    struct refusal why;

    (void)state;
    fake_arch.text_end -= 1;
    assert_int_equal(unwind_init(&why), -EINVAL);
    assert_false(unwind_possible(UNWIND_BY_TABLE));
    machine_place_text();
    assert_int_equal(unwind_init(&why), 0);
    assert_true(unwind_possible(UNWIND_BY_TABLE));
    fake_unwind_table[offsetof(struct unwind_table_header, build_id)] ^= 1;
    assert_int_equal(unwind_init(&why), -EINVAL);
    assert_false(unwind_possible(UNWIND_BY_TABLE));
}

static void frame_pointers_that_were_left_out_give_one_frame(void **state)
{
    struct machine machine = machine_three_calls_deep();
    struct regs regs = machine_regs(&machine);
    struct walk walk = walk_by(UNWIND_BY_FRAME_POINTER, &regs);

    (void)state;
    assert_int_equal(walk.count, 1);
    assert_int_equal(walk.end, UNWIND_NO_WAY);
}

/* --- Impossible states. --- */

static struct regs regs_at(unsigned offset, uintptr_t sp, uintptr_t fp)
{
    return (struct regs){.cs = KERNEL_CODE_SELECTOR,
                         .ip = machine_at(offset),
                         .sp = sp,
                         .bp = fp,
                         .flags = FLAGS_FIXED};
}

static uint64_t *word_at(uintptr_t address)
{
    return (uint64_t *)address;
}

static void the_outermost_frame_ends_the_chain_wherever_it_is_met(void **state)
{
    struct regs regs = regs_at(OUTERMOST + 1, machine_stacks[0]->low, 0);

    (void)state;
    assert_walk(&regs, 1, UNWIND_OUTERMOST);
    regs.ip = machine_at(DIRECT(0, 0));
    *word_at(regs.sp) = machine_at(OUTERMOST + 1);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
}

static void code_without_a_rule_ends_the_chain(void **state)
{
    struct regs regs = regs_at(RULELESS, machine_stacks[0]->low, 0);

    (void)state;
    assert_walk(&regs, 1, UNWIND_NO_RULE);
    regs.ip = machine_at(DIRECT(0, 0));
    *word_at(regs.sp) = machine_at(RULELESS + 1);
    assert_walk(&regs, 2, UNWIND_NO_RULE);
}

static void a_stack_pointer_in_no_stack_ends_the_chain(void **state)
{
    static const unsigned offsets[] = {DIRECT(0, 0), DIRECT(8, 3), AT_FRAME, REALIGNED_BODY,
                                       ENTRY,        ENTRY_WHOLE,  LISTED(3)};
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};
    const uintptr_t nowhere[] = {0, (uintptr_t)&regs, machine_stacks[0]->high + 8,
                                 machine_stacks[0]->guard, UINTPTR_MAX - 7};

    (void)state;
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        for (unsigned k = 0; k < sizeof(nowhere) / sizeof(nowhere[0]); k++) {
            regs = regs_at(offsets[i], nowhere[k], nowhere[k]);
            assert_walk(&regs, 1, UNWIND_NO_STACK);
        }
    regs = regs_at(TEXT_SIZE, 0, 0);
    assert_walk(&regs, 1, UNWIND_NO_STACK);
}

static void return_addresses_are_read_up_to_the_stacks_very_ends(void **state)
{
    struct regs regs = regs_at(DIRECT(0, 0), machine_stacks[0]->high - 8, 0);

    (void)state;
    *word_at(regs.sp) = machine_at(OUTERMOST + 1);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    regs = regs_at(DIRECT(3, 2), machine_stacks[0]->high - 32, 0);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    regs.sp += 8;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_at(DIRECT(0, 0), machine_stacks[0]->high, 0);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_at(DIRECT(0, 0), machine_stacks[0]->low - 8, 0);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_at(TEXT_SIZE, machine_stacks[0]->high, 0);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
}

/* The return address is in the stack, the word with rbp in the guard below it. */
static void a_frame_pointer_is_not_read_from_the_guard(void **state)
{
    struct regs regs = regs_at(DIRECT(5, 5), machine_stacks[0]->low - 8, 0);

    (void)state;
    *word_at(machine_stacks[0]->low + 32) = machine_at(OUTERMOST + 1);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs.ip = machine_at(DIRECT(5, 4));
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    regs = regs_at(LISTED(1), machine_stacks[0]->low - 8 * 30, 0);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
}

static void frames_by_rbp_outside_the_stack_are_not_read(void **state)
{
    const struct arch_stack *stack = machine_stacks[0];
    const uintptr_t outside[] = {stack->high - 8,        stack->high, stack->low - 16,
                                 machine_stacks[1]->low, UINTPTR_MAX, UINTPTR_MAX - 7,
                                 UINTPTR_MAX - 15,       0,           8};

    (void)state;
    for (unsigned i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        uintptr_t fp = outside[i] & ~7ull;
        struct regs regs = regs_at(BODY, stack->low, fp);

        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
        regs = regs_at(REALIGNED_BODY, stack->low, fp + 16);
        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
        regs = regs_at(AT_FRAME, stack->low, fp);
        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
        regs = regs_at(HALF_AT_FRAME, stack->low, fp + 48);
        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    }
}

/* The word with the CFA is readable, and wrong. */
static void a_realigned_frame_may_not_lead_astray(void **state)
{
    const struct arch_stack *stack = machine_stacks[0];
    uintptr_t frame = stack->low + 64;
    struct regs regs = regs_at(REALIGNED_BODY, frame - 8, frame);

    (void)state;
    *word_at(frame) = 0;
    *word_at(frame - 8) = stack->high + 8;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    *word_at(frame - 8) = 0;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    *word_at(frame - 8) = stack->high - 4;
    assert_walk(&regs, 1, UNWIND_MISALIGNED);
    *word_at(frame - 8) = frame - 8;
    assert_walk(&regs, 1, UNWIND_NOT_FORWARD);
    *word_at(frame - 8) = stack->high;
    assert_walk(&regs, 1, UNWIND_NOT_CODE);
    *word_at(stack->high - 8) = machine_at(OUTERMOST + 1);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
}

static void misaligned_pointers_end_the_chain(void **state)
{
    uintptr_t low = machine_stacks[0]->low;

    (void)state;
    for (unsigned off = 1; off < 8; off++) {
        struct regs regs = regs_at(DIRECT(3, 1), low + off, 0);

        assert_walk(&regs, 1, UNWIND_MISALIGNED);
        regs = regs_at(BODY, low, low + 64 + off);
        assert_walk(&regs, 1, UNWIND_MISALIGNED);
        regs = regs_at(REALIGNED_BODY, low, low + 64 + off);
        assert_walk(&regs, 1, UNWIND_MISALIGNED);
        regs = regs_at(ENTRY, low + off, 0);
        assert_walk(&regs, 1, UNWIND_MISALIGNED);
        regs = regs_at(ENTRY_WHOLE, low + off, 0);
        assert_walk(&regs, 1, UNWIND_MISALIGNED);
    }
}

static void frames_never_go_backwards(void **state)
{
    uintptr_t low = machine_stacks[0]->low, frame = low + 64;
    struct regs regs = regs_at(BODY, frame + 16, frame);

    (void)state;
    assert_walk(&regs, 1, UNWIND_NOT_FORWARD); /* rbp below sp */
    regs = regs_at(AT_FRAME, frame + 24, frame);
    assert_walk(&regs, 1, UNWIND_NOT_FORWARD);
    regs = regs_at(BODY, low, frame);
    *word_at(frame) = frame; /* points to itself */
    *word_at(frame + 8) = machine_at(BODY + 1);
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
    *word_at(frame) = low;
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
}

static void return_addresses_must_be_in_the_text(void **state)
{
    uintptr_t sp = machine_stacks[0]->low;
    const uintptr_t bad[] = {0, 8, machine_at(0), machine_at(TEXT_SIZE) + 1, UINTPTR_MAX, sp};

    (void)state;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct regs regs = regs_at(DIRECT(0, 0), sp, 0);

        *word_at(sp) = bad[i];
        assert_walk(&regs, 1, UNWIND_NOT_CODE);
        regs.ip = machine_at(TEXT_SIZE);
        assert_walk(&regs, 1, UNWIND_NOT_CODE);
        *word_at(sp) = machine_at(DIRECT(2, 1) + 1);
        *word_at(sp + 24) = bad[i];
        assert_walk(&regs, 2, UNWIND_NOT_CODE);
    }
}

static void trap_frames_must_lie_in_the_stack_as_a_whole(void **state)
{
    const struct arch_stack *stack = machine_stacks[0];
    uintptr_t at = stack->high - sizeof(struct regs);
    struct regs regs = regs_at(ENTRY_WHOLE, at, 0);

    (void)state;
    *(struct regs *)at = regs_at(OUTERMOST, machine_stacks[1]->low, 0);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    for (regs.sp = at + 8; regs.sp <= stack->high; regs.sp += 8)
        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_at(ENTRY, at + sizeof(struct regs) - 40, 0);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    for (regs.sp += 8; regs.sp <= stack->high; regs.sp += 8)
        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_at(ENTRY_WHOLE, stack->low - 8, 0);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_at(ENTRY, stack->low - 8, 0);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
}

/* A place at the end of the address space, whose end wraps around. */
static void trap_frames_do_not_reach_around_the_address_space(void **state)
{
    (void)state;
    for (uintptr_t at = 8; at <= sizeof(struct regs); at += 8) {
        struct regs regs = regs_at(TRAP_AT_FRAME, machine_stacks[0]->low, -at);

        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    }
    for (uintptr_t cfa = 0; cfa <= 48; cfa += 8) {
        struct regs regs = regs_at(HALF_AT_FRAME, machine_stacks[0]->low, cfa);

        assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    }
}

/* A struct regs whose stack pointer leads back to itself. */
static void a_whole_trap_frame_that_leads_to_itself_ends_the_chain(void **state)
{
    uintptr_t at = machine_stacks[0]->low + 64;
    struct regs regs = regs_at(ENTRY_WHOLE, at, 0);

    (void)state;
    for (uintptr_t sp = machine_stacks[0]->low; sp < at + sizeof(struct regs); sp += 8) {
        *(struct regs *)at = regs_at(ENTRY_WHOLE, sp, 0);
        assert_walk(&regs, 1, UNWIND_NOT_FORWARD);
    }
    *(struct regs *)at = regs_at(OUTERMOST, at + sizeof(struct regs), 0);
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
}

static void a_half_saved_trap_frame_that_leads_to_itself_ends_the_chain(void **state)
{
    uintptr_t at = machine_stacks[0]->low + 64;
    struct regs regs = regs_at(ENTRY, at, 0);

    (void)state;
    for (uintptr_t sp = machine_stacks[0]->low; sp < at + 40; sp += 8) {
        *word_at(at) = machine_at(ENTRY);
        *word_at(at + 24) = sp;
        assert_walk(&regs, 1, UNWIND_NOT_FORWARD);
    }
    *word_at(at) = machine_at(OUTERMOST);
    *word_at(at + 24) = at + 40;
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
}

/* ... or its frame pointer does, with a stack pointer in the guard, where it may be. */
static void a_trap_frame_in_a_guarded_stack_is_entered_once(void **state)
{
    const struct arch_stack *stack = machine_stacks[0];
    uintptr_t at = stack->low + 64, cfa = at + 40;
    struct regs regs = regs_at(TRAP_AT_FRAME, stack->low, at);

    (void)state;
    *(struct regs *)at = regs_at(TRAP_AT_FRAME, stack->guard + 8, at);
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
    regs = regs_at(HALF_AT_FRAME, stack->low, cfa);
    *word_at(at) = machine_at(HALF_AT_FRAME);
    *word_at(at + 24) = stack->guard + 8;
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
}

/* Two struct regs, each on its own stack, each leading to the other. */
static void two_stacks_that_lead_to_each_other_are_walked_once(void **state)
{
    uintptr_t first = machine_stacks[0]->low + 64, second = machine_stacks[1]->low + 64;
    struct regs regs = regs_at(ENTRY_WHOLE, first, 0);

    (void)state;
    *(struct regs *)first = regs_at(ENTRY_WHOLE, second, 0);
    *(struct regs *)second = regs_at(ENTRY_WHOLE, first, 0);
    assert_walk(&regs, 2, UNWIND_STACK_TWICE);
    regs.ip = machine_at(ENTRY);
    *word_at(first) = machine_at(ENTRY);
    *word_at(first + 24) = second;
    *word_at(second) = machine_at(ENTRY);
    *word_at(second + 24) = first;
    assert_walk(&regs, 2, UNWIND_STACK_TWICE);
}

static void more_stacks_than_contexts_nest_end_the_chain(void **state)
{
    struct regs regs = regs_at(ENTRY_WHOLE, machine_stacks[0]->low, 0);

    (void)state;
    for (unsigned i = 0; i + 1 < FAKE_STACKS_MAX; i++)
        *(struct regs *)machine_stacks[i]->low =
            regs_at(ENTRY_WHOLE, machine_stacks[i + 1]->low, 0);
    assert_walk(&regs, 5, UNWIND_STACK_TWICE);
}

/* --- Random machines and stacks. --- */

/* Calls a function that can call another one from its body. */
static void machine_random_call(struct machine *machine)
{
    unsigned words = chance(DIRECT_WORDS), n = chance(LISTED_COUNT);
    unsigned saved = chance(DIRECT_SAVED) % (words + 1);

    switch (chance(6)) {
    case 0:
        machine_call(machine, chance(FRAMED));
        machine_prologue(machine, chance(6));
        break;
    case 1:
        machine_call_at(machine, LISTED(n), LISTED_WORDS(n), n % 2 ? LISTED_SAVED(n) : 0);
        break;
    case 2:
        machine_call_realigned(machine, chance(4));
        machine->ip += 1;
        break;
    case 3:
        machine_call_at(machine, FAR, 4, 2);
        break;
    default:
        machine_call_at(machine, DIRECT(words, saved), words, saved);
    }
}

static void machine_random_trap(struct machine *machine)
{
    if (chance(3) && machine->stacks < 4) {
        unsigned i = chance(HALVES);

        machine_trap_half(machine, chance(2), halves[i].offset, halves[i].words);
        if (halves[i].offset == ENTRY_HALF)
            machine->fp = 0x1234567;
        assert_chain(machine);
    }
    machine_trap(machine, machine->stacks < 4 && chance(2), function_start(chance(FRAMED)));
    assert_chain(machine);
    machine_prologue(machine, chance(4));
}

static void every_chain_that_a_machine_can_make_is_found_whole(void **state)
{
    (void)state;
    chance_begin(5);
    for (unsigned round = 0; round < 4000; round++) {
        struct machine machine = machine_start();
        unsigned length = chance(20);

        machine_call(&machine, chance(FRAMED));
        machine_prologue(&machine, chance(4));
        for (unsigned i = 0; i < length; i++) {
            const struct arch_stack *stack = arch_stack_find(machine.sp);

            if (machine.sp < stack->low + 2048)
                break;
            if (chance(5))
                machine_random_call(&machine);
            else
                machine_random_trap(&machine);
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
    chance_begin(6);
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
    for (enum unwind_end end = UNWIND_OUTERMOST; end <= UNWIND_NO_RULE; end++)
        if (ends[end] == 0 && end != UNWIND_NO_FRAME_POINTER)
            fail_msg("never: %s", unwind_reason(end));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(frames_by_rbp_are_followed_from_every_place_in_them, machine_setup),
        cmocka_unit_test_setup(a_run_of_plain_frames_fills_all_the_room, machine_setup),
        cmocka_unit_test_setup(a_leaf_that_pushes_flags_keeps_its_caller, machine_setup),
        cmocka_unit_test_setup(every_code_that_spells_its_rule_is_followed, machine_setup),
        cmocka_unit_test_setup(every_rule_inside_the_list_and_past_its_end_is_followed,
                               machine_setup),
        cmocka_unit_test_setup(an_exception_reaches_over_the_ends_of_blocks, machine_setup),
        cmocka_unit_test_setup(each_instruction_of_a_row_of_pushes_and_pops_has_its_own_rule,
                               machine_setup),
        cmocka_unit_test_setup(code_far_from_the_start_of_the_text_is_found, machine_setup),
        cmocka_unit_test_setup(a_realigned_frame_is_followed_through_the_word_that_keeps_its_cfa,
                               machine_setup),
        cmocka_unit_test_setup(rbp_may_be_saved_at_a_place_counted_from_the_frame, machine_setup),
        cmocka_unit_test_setup(a_call_at_a_functions_very_end_belongs_to_it, machine_setup),
        cmocka_unit_test_setup(a_frame_may_be_counted_from_any_register_that_a_trap_saved,
                               machine_setup),
        cmocka_unit_test_setup(a_realigned_functions_prologue_is_counted_from_r10, machine_setup),
        cmocka_unit_test_setup(whole_trap_frames_are_crossed_wherever_they_came, machine_setup),
        cmocka_unit_test_setup(half_saved_trap_frames_are_crossed, machine_setup),
        cmocka_unit_test_setup(whole_trap_frames_are_left_from_inside_their_entry, machine_setup),
        cmocka_unit_test_setup(traps_within_traps_are_crossed_over_all_stacks, machine_setup),
        cmocka_unit_test_setup(an_interrupted_place_comes_with_its_registers_if_all_were_saved,
                               machine_setup),
        cmocka_unit_test_setup(registers_of_a_half_saved_trap_frame_are_not_made_up, machine_setup),
        cmocka_unit_test_setup(a_call_into_nowhere_is_traced_to_its_caller, machine_setup),
        cmocka_unit_test_setup(runaway_recursion_is_named_from_inside_the_guard, machine_setup),
        cmocka_unit_test_setup(a_snapshot_begins_in_the_middle_of_its_function, machine_setup),
        cmocka_unit_test_setup(a_partial_snapshot_gets_its_frame_pointer_from_where_it_was_saved,
                               machine_setup),
        cmocka_unit_test_setup(a_partial_snapshot_ends_where_a_frame_pointer_is_missing,
                               machine_setup),
        cmocka_unit_test_setup(a_place_counted_from_an_unknown_frame_pointer_is_not_read,
                               machine_setup),
        cmocka_unit_test_setup(a_kernel_without_frame_pointers_and_table_gives_one_frame,
                               machine_setup),
        cmocka_unit_test_setup(a_table_of_another_text_or_build_is_not_used, machine_setup),
        cmocka_unit_test_setup(frame_pointers_that_were_left_out_give_one_frame, machine_setup),
        cmocka_unit_test_setup(the_outermost_frame_ends_the_chain_wherever_it_is_met,
                               machine_setup),
        cmocka_unit_test_setup(code_without_a_rule_ends_the_chain, machine_setup),
        cmocka_unit_test_setup(a_stack_pointer_in_no_stack_ends_the_chain, machine_setup),
        cmocka_unit_test_setup(return_addresses_are_read_up_to_the_stacks_very_ends, machine_setup),
        cmocka_unit_test_setup(a_frame_pointer_is_not_read_from_the_guard, machine_setup),
        cmocka_unit_test_setup(frames_by_rbp_outside_the_stack_are_not_read, machine_setup),
        cmocka_unit_test_setup(a_realigned_frame_may_not_lead_astray, machine_setup),
        cmocka_unit_test_setup(misaligned_pointers_end_the_chain, machine_setup),
        cmocka_unit_test_setup(frames_never_go_backwards, machine_setup),
        cmocka_unit_test_setup(return_addresses_must_be_in_the_text, machine_setup),
        cmocka_unit_test_setup(trap_frames_must_lie_in_the_stack_as_a_whole, machine_setup),
        cmocka_unit_test_setup(trap_frames_do_not_reach_around_the_address_space, machine_setup),
        cmocka_unit_test_setup(a_whole_trap_frame_that_leads_to_itself_ends_the_chain,
                               machine_setup),
        cmocka_unit_test_setup(a_half_saved_trap_frame_that_leads_to_itself_ends_the_chain,
                               machine_setup),
        cmocka_unit_test_setup(a_trap_frame_in_a_guarded_stack_is_entered_once, machine_setup),
        cmocka_unit_test_setup(two_stacks_that_lead_to_each_other_are_walked_once, machine_setup),
        cmocka_unit_test_setup(more_stacks_than_contexts_nest_end_the_chain, machine_setup),
        cmocka_unit_test_setup(every_chain_that_a_machine_can_make_is_found_whole, machine_setup),
        cmocka_unit_test_setup(no_noise_leads_out_of_the_stacks_or_round, machine_setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

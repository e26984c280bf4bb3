/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The follower of calls (outside/plugin/follow.h): reports what a machine does, step by step as the
 * plugin would, and checks the chain after each step. Memory is a small table of the return
 * addresses that calls store, separate for each address space.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/stack.h"

#define CALL_SIZE  5
#define TOP        0xffff880000010000 /* of a stack; stacks are 64 KiB apart */
#define STACK(i)   (TOP + (i)*0x10000ull)
#define FRAME_SIZE 40
#define WORDS      4096

/* --- Memory --- */

static struct word {
    uint64_t address, space, value;
} memory[WORDS];
static unsigned words;
static uint64_t space; /* of a program, whose memory is below `base` */
static uint64_t base;  /* each test uses its own stacks and CPU */

/* Returns the word's index, or `words`. */
static unsigned word_at(uint64_t address)
{
    unsigned i = 0;

    while (i < words &&
           (memory[i].address != address || (address < base && memory[i].space != space)))
        i++;
    return i;
}

static void store(uint64_t address, uint64_t value)
{
    unsigned i = word_at(address);

    assert_true(i < WORDS);
    words += i == words;
    memory[i] = (struct word){address, space, value};
}

enum memory memory_compare(uint64_t address, uint64_t word)
{
    unsigned i = word_at(address);

    if (i == words)
        return MEMORY_UNKNOWN;
    return memory[i].value == word ? MEMORY_HOLDS : MEMORY_DIFFERS;
}

/* --- Steps --- */

static unsigned cpu;

static int begin(void **state)
{
    static unsigned tests;

    (void)state;
    base = STACK(16 * tests);
    cpu = tests++;
    words = 0;
    space = 0;
    return 0;
}

/* A call by the instruction at `site`, with its return address at `place`. */
static void call(uint64_t place, uint64_t site)
{
    store(place, site + CALL_SIZE);
    if (!follow_calls(cpu, place, site, site + CALL_SIZE, 0))
        follow_call(cpu, place, site, site + CALL_SIZE, 0);
}

static bool returns(uint64_t place)
{
    struct follow_returned returned;

    return follow_returns(cpu, place) || follow_return(cpu, place, &returned);
}

/* An interrupt of code with this rsp; the CPU stores its frame below `top`. */
static void interrupt(uint64_t site, uint64_t from, uint64_t top, bool user)
{
    struct follow_interrupt event = {.site = site,
                                     .entry = 0x7000,
                                     .from = from,
                                     .place = top - FRAME_SIZE,
                                     .switched = top != from,
                                     .user = user,
                                     .space = space};

    follow_interrupt(cpu, &event);
}

static void assert_chain(const uint64_t *expected, unsigned count)
{
    uint32_t context = follow_context(cpu);

    for (unsigned i = 0; i < count; i++) {
        assert_int_not_equal(context, CONTEXT_NONE);
        assert_int_equal(context_at(context)->site, expected[i]);
        context = context_at(context)->outer;
    }
    assert_int_equal(context, CONTEXT_NONE);
}

#define ASSERT_CHAIN(...)                                                                          \
    do {                                                                                           \
        const uint64_t expected[] = {__VA_ARGS__};                                                 \
        assert_chain(expected, sizeof(expected) / sizeof(expected[0]));                            \
    } while (0)

#define ASSERT_NO_CHAIN() assert_int_equal(follow_context(cpu), CONTEXT_NONE)

/* --- Calls and returns --- */

static void nests_calls_and_ends_them_by_place(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    call(base - 48, 0x200);
    ASSERT_CHAIN(0x200, 0x100);
    assert_true(returns(base - 48));
    ASSERT_CHAIN(0x100);
    call(base - 48, 0x200);
    call(base - 96, 0x300);
    ASSERT_CHAIN(0x300, 0x200, 0x100);
    assert_true(returns(base - 8));
    ASSERT_NO_CHAIN();
}

static void a_return_without_a_frame_is_a_jump(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    call(base - 48, 0x200);
    assert_false(returns(base - 64)); /* push; ret */
    ASSERT_CHAIN(0x200, 0x100);
    assert_false(returns(base - 40)); /* the callee has dropped its return address */
    ASSERT_CHAIN(0x100);
}

static void a_call_to_its_own_return_address_is_none(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    follow_call(cpu, base - 48, 0x200, 0x205, 0x205);
    ASSERT_CHAIN(0x100);
}

static void a_call_replaces_what_lies_at_or_below_its_place(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    call(base - 48, 0x200);
    call(base - 96, 0x300);
    call(base - 48, 0x400);
    ASSERT_CHAIN(0x400, 0x100);
}

static void tells_what_a_return_has_ended(void **state)
{
    struct follow_returned returned;

    (void)state;
    follow_time(cpu, 0);
    follow_call(cpu, base - 8, 0x100, 0x105, 0x1000);
    follow_time(cpu, 30);
    assert_true(follow_return(cpu, base - 8, &returned));
    assert_int_equal(returned.entry, 0x1000);
    assert_int_equal(returned.ran, 30);
    assert_int_equal(context_at(returned.context)->site, 0x100);
}

/* --- Loads of rsp --- */

static void an_epilogue_and_longjmp_stay_on_the_stack(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    call(base - 48, 0x200);
    assert_true(follow_is_epilogue(cpu, base - 48));
    follow_load(cpu, base - 400, base - 48);
    ASSERT_CHAIN(0x200, 0x100);
    follow_load(cpu, base - 400, base - 16); /* past 0x200's frame */
    ASSERT_CHAIN(0x100);
}

static void threads_are_known_by_the_rsp_they_were_left_with(void **state)
{
    uint64_t other = STACK(1) - TOP + base;
    uint32_t first, second;

    (void)state;
    call(base - 8, 0x100);
    first = follow_thread(cpu);
    follow_load(cpu, base - 64, other - 64); /* prepared for a new thread */
    ASSERT_NO_CHAIN();
    call(other - 8, 0x500);
    second = follow_thread(cpu);
    assert_int_not_equal(first, second);
    follow_load(cpu, other - 32, base - 64);
    ASSERT_CHAIN(0x100);
    assert_int_equal(follow_thread(cpu), first);
    follow_load(cpu, base - 64, other - 32);
    ASSERT_CHAIN(0x500);
    assert_int_equal(follow_thread(cpu), second);
}

/* Stacks of 64 bytes: their distance proves nothing. */
static void adjacent_stacks_do_not_mix(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    follow_load(cpu, base - 48, base - 72);
    call(base - 72, 0x200);
    ASSERT_CHAIN(0x200);
    follow_load(cpu, base - 120, base - 48);
    call(base - 56, 0x300);
    ASSERT_CHAIN(0x300, 0x100);
}

static void a_stack_that_another_grew_over_is_dead(void **state)
{
    (void)state;
    call(base - 2048, 0x100);
    follow_load(cpu, base - 2100, base + 4096);
    call(base + 4000, 0x200);
    call(base - 2056, 0x300); /* this stack extends down to there */
    follow_load(cpu, base - 2400, base + 8192);
    follow_load(cpu, base + 8192, base - 2048); /* to where it called: back in its caller */
    ASSERT_CHAIN(0x200);
}

static void assert_unknown(void)
{
    assert_true(context_at(follow_context(cpu))->unknown);
}

/* rsp between the frames of a stack may belong to a new thread, if that stack is dead. */
static void a_place_among_frames_is_not_known(void **state)
{
    uint64_t doubtful = follow_doubts().doubtful;
    uint32_t first;

    (void)state;
    call(base - 8, 0x100);
    call(base - 4000, 0x200);
    first = follow_thread(cpu);
    call(base - 8000, 0x300);
    follow_load(cpu, base - 8100, base + 8192);
    follow_load(cpu, base + 8192, base - 2048);
    assert_unknown();
    assert_int_not_equal(follow_thread(cpu), first);
    assert_int_equal(follow_doubts().doubtful, doubtful + 1);
    call(base - 2056, 0x500);
    assert_unknown();
    follow_load(cpu, base - 2100, base + 8192);
    call(base + 8184, 0x600);
    call(base + 6000, 0x700);
    follow_load(cpu, base + 5992, base + 12288);
    store(base + 6000, 0); /* a suspended stack is not written to, so it is dead */
    follow_load(cpu, base + 12288, base + 7000);
    ASSERT_NO_CHAIN();
    assert_int_equal(follow_doubts().doubtful, doubtful + 1);
}

static void a_new_thread_on_a_dead_stack_has_no_callers(void **state)
{
    uint32_t first;

    (void)state;
    call(base - 8, 0x100);
    first = follow_thread(cpu);
    call(base - 64, 0x200);
    follow_load(cpu, base - 100, base + 4096);
    store(base - 8, 0); /* prepared again */
    store(base - 64, 0);
    follow_load(cpu, base + 4096, base - 72);
    ASSERT_NO_CHAIN();
    call(base - 16, 0x300);
    ASSERT_CHAIN(0x300);
    assert_int_not_equal(follow_thread(cpu), first);
}

/* --- Interrupts --- */

static void a_handler_on_the_interrupted_stack(void **state)
{
    (void)state;
    call(base - 8, 0x100);
    interrupt(0x150, base - 16, base - 16, false);
    ASSERT_CHAIN(0x150, 0x100);
    call(base - 80, 0x700);
    ASSERT_CHAIN(0x700, 0x150, 0x100);
    assert_true(returns(base - 80));
    follow_interrupt_return(cpu, base - 56, base - 16, false);
    ASSERT_CHAIN(0x100);
}

static void handlers_on_stacks_of_their_own_nest(void **state)
{
    uint64_t first = base + 0x1000, second = base + 0x2000;
    uint32_t thread;

    (void)state;
    call(base - 8, 0x100);
    thread = follow_thread(cpu);
    for (unsigned i = 0; i < 3; i++) {
        interrupt(0x150, base - 16, first, false);
        call(first - 64, 0x700);
        interrupt(0x750, first - 72, second, false);
        call(second - 64, 0x800);
        ASSERT_CHAIN(0x800, 0x750, 0x700, 0x150, 0x100);
        assert_int_equal(follow_thread(cpu), thread);
        follow_interrupt_return(cpu, second - FRAME_SIZE, first - 72, false);
        ASSERT_CHAIN(0x700, 0x150, 0x100);
        follow_interrupt_return(cpu, first - FRAME_SIZE, base - 16, false);
        ASSERT_CHAIN(0x100);
    }
}

static void iret_may_go_to_another_threads_frame(void **state)
{
    uint64_t other = base + 0x10000;

    (void)state;
    call(base - 8, 0x100);
    interrupt(0x150, base - 16, base - 16, false);
    follow_load(cpu, base - 56, other - FRAME_SIZE); /* the scheduler chooses a new thread */
    follow_interrupt_return(cpu, other - FRAME_SIZE, other, false);
    ASSERT_NO_CHAIN();
    call(other - 8, 0x500);
    interrupt(0x550, other - 16, other - 16, false);
    follow_load(cpu, other - 56, base - 56);
    follow_interrupt_return(cpu, base - 56, base - 16, false);
    ASSERT_CHAIN(0x100);
}

/* --- Programs --- */

/* The kernel, on one process' stack, resumes another process by its frame there, at this rsp. */
static void run_program(uint64_t from, uint64_t kernel, uint64_t to, uint64_t other)
{
    space = other;
    follow_space(cpu, other, from);
    follow_load(cpu, from, kernel - FRAME_SIZE);
    follow_interrupt_return(cpu, kernel - FRAME_SIZE, to, true);
}

/* Two processes with their stacks at the same virtual address. */
static void programs_at_one_address_are_told_apart(void **state)
{
    uint64_t kernel[] = {base + 0x1000, base + 0x3000};
    uint32_t thread[2];

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        unsigned one = i % 2;
        uint64_t place = base - 8 - 16 * one;

        run_program(kernel[1 - one] - FRAME_SIZE, kernel[one], i < 2 ? base : place,
                    0x1000 * (one + 1));
        if (i < 2) {
            call(place, 0x100 + one);
            thread[one] = follow_thread(cpu);
        }
        ASSERT_CHAIN(0x100 + one);
        interrupt(0x150 + one, place, kernel[one], true);
        call(kernel[one] - 64, 0x700);
        ASSERT_CHAIN(0x700, 0x150 + one, 0x100 + one);
        assert_int_equal(follow_thread(cpu), thread[one]);
        assert_true(returns(kernel[one] - 64));
    }
    assert_int_not_equal(thread[0], thread[1]);
    assert_int_not_equal(follow_thread_info(thread[0])->space, 0);
    assert_int_not_equal(follow_thread_info(thread[0])->space,
                         follow_thread_info(thread[1])->space);
}

static void a_system_call_leads_into_the_program(void **state)
{
    uint64_t program = base, kernel = base + 0x1000;

    (void)state;
    follow_space(cpu, 0x5000, base);
    call(program - 8, 0x100);
    for (unsigned i = 0; i < 3; i++) {
        follow_syscall(cpu, 0x150, program - 8);
        ASSERT_CHAIN(0x150, 0x100);
        follow_load(cpu, program - 8, kernel);
        ASSERT_CHAIN(0x150, 0x100);
        call(kernel - 32, 0x700);
        ASSERT_CHAIN(0x700, 0x150, 0x100);
        assert_true(returns(kernel - 32));
        follow_load(cpu, kernel - 24, program - 8);
        ASSERT_CHAIN(0x100);
    }
}

/* The entry into the kernel loads rsp twice before its first call. */
static void an_entry_may_change_stacks_twice(void **state)
{
    uint64_t program = base, first = base + 0x1000, second = base + 0x3000;

    (void)state;
    follow_space(cpu, 0x5000, base);
    call(program - 8, 0x100);
    for (unsigned i = 0; i < 2; i++) {
        follow_syscall(cpu, 0x150, program - 8);
        follow_load(cpu, program - 8, first);
        follow_load(cpu, first, second);
        call(second - 32, 0x700);
        ASSERT_CHAIN(0x700, 0x150, 0x100);
        assert_true(returns(second - 32));
        follow_load(cpu, second, program - 8);
        follow_sysret(cpu);
        ASSERT_CHAIN(0x100);
    }
    for (unsigned i = 0; i < 2; i++) { /* with a copy of the CPU's frame on the second stack */
        interrupt(0x150, program - 8, first, true);
        store(second - 16, program - 8);
        follow_load(cpu, first - 128, second - FRAME_SIZE);
        call(second - 64, 0x700);
        ASSERT_CHAIN(0x700, 0x150, 0x100);
        assert_true(returns(second - 64));
        follow_interrupt_return(cpu, second - FRAME_SIZE, program - 8, true);
        ASSERT_CHAIN(0x100);
    }
    interrupt(0x150, program - 8, first, true); /* memory does not decide */
    follow_load(cpu, first - 128, base + 0x5000);
    assert_unknown();
    for (unsigned i = 0; i < 32; i++) /* no copy: a new thread */
        store(base + 0x7000 + 8 * i, 0);
    interrupt(0x160, base + 0x5000, first, true);
    follow_load(cpu, first - 128, base + 0x7000);
    ASSERT_NO_CHAIN();
}

static void sysret_may_begin_a_program(void **state)
{
    uint64_t program = base, first = base + 0x1000, second = base + 0x3000;

    (void)state;
    follow_space(cpu, 0x5000, base);
    call(program - 8, 0x100);
    follow_syscall(cpu, 0x150, program - 8);
    follow_load(cpu, program - 8, first);
    follow_load(cpu, first, second);
    follow_load(cpu, second, base + 0x8000);
    follow_sysret(cpu);
    ASSERT_NO_CHAIN();
}

/* --- Only places are known: QEMU before 9.2 --- */

static void a_place_decides_a_load(void **state)
{
    uint64_t other = base + 0x20000;

    (void)state;
    call(base - 8, 0x100);
    follow_load_unknown(cpu, base - 64, true);
    follow_place(cpu, other - 64, 0, true); /* pops prepared values: another stack */
    ASSERT_NO_CHAIN();
    call(other - 8, 0x500);
    follow_load_unknown(cpu, other - 64, true);
    follow_place(cpu, base - 64, 0, true);
    ASSERT_CHAIN(0x100);
}

static void what_is_only_likely_ends_the_chain(void **state)
{
    struct follow_doubts before = follow_doubts();

    (void)state;
    call(base - 8, 0x100);
    follow_load_unknown(cpu, base - 64, true);
    call(base - 8192, 0x200); /* an array, or another stack */
    assert_unknown();
    assert_int_equal(context_at(context_at(follow_context(cpu))->outer)->by, WIRE_BY_UNKNOWN);
    assert_int_equal(follow_doubts().doubtful, before.doubtful + 1);
}

static void a_handlers_stack_shows_at_its_first_place(void **state)
{
    struct follow_interrupt event = {.site = 0x150, .entry = 0x7000, .from = base - 16};

    (void)state;
    call(base - 8, 0x100);
    for (unsigned i = 0; i < 2; i++) { /* on the same stack, then far away */
        uint64_t place = i == 0 ? base - 128 : base + 0x40000;

        follow_interrupt(cpu, &event);
        ASSERT_CHAIN(0x150, 0x100);
        follow_place(cpu, place, 0, false);
        call(place - 8, 0x700);
        ASSERT_CHAIN(0x700, 0x150, 0x100);
        assert_true(returns(place - 8));
        assert_int_equal(follow_interrupt_return_near(cpu, place + 16), base - 16);
        follow_place(cpu, base - 16, 0, true);
        ASSERT_CHAIN(0x100);
    }
}

static void an_iretq_elsewhere_on_its_stack_ends_no_interrupt(void **state)
{
    struct follow_interrupt event = {.site = 0x150, .entry = 0x7000, .from = base - 16};

    (void)state;
    call(base - 8, 0x100);
    follow_interrupt(cpu, &event);
    call(base - 128, 0x700);
    assert_int_equal(follow_interrupt_return_near(cpu, base - 1024), base - 1024 + 40);
    follow_place(cpu, base - 1024 + 40, 0, false);
    ASSERT_CHAIN(0x700, 0x150, 0x100);
}

static void physical_pages_tell_stacks_at_one_address_apart(void **state)
{
    (void)state;
    follow_place(cpu, base - 8, 11, false);
    call(base - 8, 0x100);
    follow_place(cpu, base - 8, 12, false); /* after a load of cr3 */
    ASSERT_NO_CHAIN();
    call(base - 8, 0x200);
    follow_place(cpu, base - 8, 11, false);
    ASSERT_CHAIN(0x100);
}

static int set_up(void **state)
{
    (void)state;
    return follow_init() ? 0 : -1;
}

/* Many threads, each left and resumed. */
static void has_many_threads(void **state)
{
    enum { THREADS = 100000 };
    uint64_t previous = base;

    (void)state;
    call(base - 8, 0x100);
    for (uint64_t i = 1; i < 2 * THREADS; i++) {
        uint64_t to = base + i % THREADS * 0x4000;

        follow_load(cpu, previous - 64, i < THREADS ? to : to - 64);
        if (i < THREADS)
            follow_call(cpu, to - 8, 0x1000 + i, 0x1005 + i, 0);
        else if (i > THREADS)
            ASSERT_CHAIN(0x1000 + i % THREADS);
        previous = to;
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(nests_calls_and_ends_them_by_place),
        TEST(a_return_without_a_frame_is_a_jump),
        TEST(a_call_to_its_own_return_address_is_none),
        TEST(a_call_replaces_what_lies_at_or_below_its_place),
        TEST(tells_what_a_return_has_ended),
        TEST(an_epilogue_and_longjmp_stay_on_the_stack),
        TEST(threads_are_known_by_the_rsp_they_were_left_with),
        TEST(adjacent_stacks_do_not_mix),
        TEST(a_stack_that_another_grew_over_is_dead),
        TEST(a_place_among_frames_is_not_known),
        TEST(a_new_thread_on_a_dead_stack_has_no_callers),
        TEST(a_handler_on_the_interrupted_stack),
        TEST(handlers_on_stacks_of_their_own_nest),
        TEST(iret_may_go_to_another_threads_frame),
        TEST(programs_at_one_address_are_told_apart),
        TEST(a_system_call_leads_into_the_program),
        TEST(an_entry_may_change_stacks_twice),
        TEST(sysret_may_begin_a_program),
        TEST(a_place_decides_a_load),
        TEST(what_is_only_likely_ends_the_chain),
        TEST(a_handlers_stack_shows_at_its_first_place),
        TEST(an_iretq_elsewhere_on_its_stack_ends_no_interrupt),
        TEST(physical_pages_tell_stacks_at_one_address_apart),
        TEST(has_many_threads),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
